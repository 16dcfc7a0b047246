import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { type Resolution, resolveAddresses } from '../../src/routing/resolve.ts';
import { rosterFor } from '../helpers/routing-bench.ts';

const ROSTER = rosterFor({
  agents: [
    { id: 'god', name: 'The Boss', role: 'orchestrator' },
    { id: 'planner', name: 'Ada' },
    { id: 'coder', name: 'Grace Hopper', role: 'dev' },
    { id: 'tester', name: 'Alan', role: ' Dev ' },
    { id: 'writer', name: 'Alan', onHold: true },
    { id: 'old', name: 'Linus', role: 'dev', archived: true },
    { id: 'twin', name: 'grace hopper', archived: true },
    { id: 'cron', name: 'Timer', role: 'dev', sendOnly: true },
  ],
  orchestrator: 'god',
});

function resolve(to: string | string[], sender = 'planner', repliesToPerson = false): Resolution {
  const context = { roster: ROSTER, sender: sender as AgentId, repliesToPerson };
  return resolveAddresses([to].flat(), context);
}

function failure(to: string, sender?: string) {
  const { failures, recipients } = resolve(to, sender);
  expect(recipients).toEqual([]);
  expect(failures).toHaveLength(1);
  return failures[0];
}

describe('an id', () => {
  it('leads to its agent in any case', () => {
    for (const name of ['coder', 'CODER', 'Coder']) {
      expect(resolve(name)).toMatchObject({
        recipients: ['coder'],
        failures: [],
        broadcast: false,
      });
    }
  });
  it('leads to archived and send-only agents and those on hold too: what becomes of it is not decided here', () => {
    expect(resolve(['old', 'cron', 'writer']).recipients).toEqual(['old', 'cron', 'writer']);
  });
  it('counts once, in the order addressed, however often it is named', () => {
    const { recipients } = resolve(['tester', 'coder', 'CODER', 'Grace Hopper', 'tester']);
    expect(recipients).toEqual(['tester', 'coder']);
  });
  it('is never a path', () => {
    for (const name of [
      'coder/../god',
      '../../x',
      './coder',
      'coder\u0000',
      'constructor',
      '__proto__',
    ]) {
      expect(failure(name)).toMatchObject({ to: name, code: 'unknown-recipient' });
    }
  });
  it('of the sender itself is refused, by whatever name', () => {
    for (const name of ['planner', 'PLANNER', 'ada']) expect(failure(name)?.code).toBe('to-self');
    for (const name of ['god', 'orchestrator', 'the boss', 'role:orchestrator']) {
      expect(failure(name, 'god')?.code, name).toMatch(/to-self|nobody-reached/);
    }
    expect(failure('human', 'human')?.code).toBe('to-self');
  });
  it('fails once, as written first or last, when it is named twice', () => {
    expect(failure('codr')?.to).toBe('codr');
    expect(resolve(['codr', 'codr', 'CODR']).failures).toHaveLength(1);
  });
});

describe('a display name', () => {
  it('leads to the one agent that has it, in any case', () => {
    expect(resolve('ada', 'coder').recipients).toEqual(['planner']);
    expect(resolve('GRACE HOPPER').recipients).toEqual(['coder']);
  });
  it('is ambiguous when several live agents have it, and names them all', () => {
    expect(failure('alan')).toMatchObject({
      code: 'ambiguous-recipient',
      candidates: ['tester', 'writer'],
    });
  });
  it('leads to the live one of several, and to an archived one when that is all there is', () => {
    expect(resolve('grace hopper').recipients).toEqual(['coder']);
    expect(resolve('linus').recipients).toEqual(['old']);
  });
  it('gives way to an id', () => {
    const agents = [{ id: 'a' }, { id: 'b', name: 'a' }, { id: 'c' }];
    const context = { sender: 'c' as AgentId, repliesToPerson: false };
    expect(
      resolveAddresses(['a'], { roster: rosterFor({ agents }), ...context }).recipients,
    ).toEqual(['a']);
  });
  it('is the same with composed and with combining accents', () => {
    const roster = rosterFor({ agents: [{ id: 'rene', name: 'Ren\u00e9' }, 'coder'] });
    const context = { roster, sender: 'coder' as AgentId, repliesToPerson: false };
    expect(resolveAddresses(['rene\u0301'], context).recipients).toEqual(['rene']);
  });
});

describe('a character from beyond ASCII', () => {
  const agents = ['kate', 'tester', 'krish', { id: 'units', name: '5 \u212a' }, 'sender'];
  const context = {
    roster: rosterFor({ agents }),
    sender: 'sender' as AgentId,
    repliesToPerson: false,
  };

  it('is none of an id, whatever Unicode makes of it: Kelvin, long s, dotless and dotted i, full width', () => {
    for (const name of ['\u212aate', 'te\u017fter', 'kr\u0131sh', 'kr\u0130sh', '\uff4bate']) {
      expect(resolveAddresses([name], context), name).toMatchObject({
        recipients: [],
        failures: [{ to: name, code: 'unknown-recipient' }],
      });
    }
    expect(resolveAddresses(['role:\u212aate'], context).recipients).toEqual([]);
  });
  it('is one of a display name that has it', () => {
    expect(resolveAddresses(['5 \u212a'], context).recipients).toEqual(['units']);
    expect(resolveAddresses(['5 k'], context).recipients).toEqual([]);
  });
});

describe('an unknown name', () => {
  it('comes with the nearest live agents that may have been meant, and never the sender', () => {
    expect(failure('codr')?.candidates).toEqual(['coder']);
    expect(failure('codr', 'coder')?.candidates).not.toContain('coder');
    expect(failure('hopper')?.candidates).toEqual(['coder']);
    expect(failure('linu')?.candidates).toEqual([]);
    expect(failure('zebra')?.candidates).toEqual([]);
  });
});

describe('a broadcast', () => {
  it('leads to every agent that direct mail reaches, but the sender', () => {
    for (const name of ['broadcast', 'ALL', '*']) {
      const { recipients, broadcast } = resolve(name);
      expect(recipients).toEqual(['god', 'coder', 'tester', 'writer']);
      expect(broadcast).toBe(true);
    }
    expect(resolve('broadcast', 'cron').recipients).toContain('planner');
    expect(resolve('broadcast', 'human').recipients).toEqual([
      'god',
      'planner',
      'coder',
      'tester',
      'writer',
    ]);
  });
  it('reaches nobody in a hive of one', () => {
    const roster = rosterFor({ agents: ['god'], orchestrator: 'god' });
    const context = { roster, sender: 'god' as AgentId, repliesToPerson: false };
    expect(resolveAddresses(['all'], context).failures[0]?.code).toBe('nobody-reached');
  });
});

describe('a role', () => {
  it('leads to every live agent that has it, in any case, but the sender', () => {
    expect(resolve('role:dev').recipients).toEqual(['coder', 'tester']);
    expect(resolve('ROLE: DEV').recipients).toEqual(['coder', 'tester']);
    expect(resolve('role:dev', 'coder').recipients).toEqual(['tester']);
    expect(resolve('role:dev').broadcast).toBe(false);
  });
  it('that nobody else has who gets mail reaches nobody, and is no unknown name', () => {
    expect(failure('role:orchestrator', 'god')).toMatchObject({
      code: 'nobody-reached',
      candidates: [],
    });
  });
  it('that nobody has is unknown, with the roles or the agent that may have been meant', () => {
    expect(failure('role:devs')).toMatchObject({
      code: 'unknown-recipient',
      candidates: ['role:dev'],
    });
    expect(failure('role:coder')).toMatchObject({
      code: 'unknown-recipient',
      candidates: ['coder'],
    });
    expect(failure('role:')?.code).toBe('unknown-recipient');
  });
});

describe('the orchestrator', () => {
  it('is reached by its role, and by "god" where no live agent is called that', () => {
    expect(resolve('orchestrator').recipients).toEqual(['god']);
    const roster = rosterFor({
      agents: ['boss', 'coder', { id: 'god', archived: true }],
      orchestrator: 'boss',
    });
    const context = { roster, sender: 'coder' as AgentId, repliesToPerson: false };
    expect(resolveAddresses(['god'], context).recipients).toEqual(['boss']);
    expect(resolveAddresses(['GOD', 'orchestrator', 'boss'], context).recipients).toEqual(['boss']);
  });
  it('is not who is meant by "god" where a live agent is called that', () => {
    const roster = rosterFor({ agents: ['boss', 'coder', 'god'], orchestrator: 'boss' });
    const context = { roster, sender: 'coder' as AgentId, repliesToPerson: false };
    expect(resolveAddresses(['god'], context).recipients).toEqual(['god']);
  });
  it('is missing in a hive without one, and the person is offered', () => {
    const roster = rosterFor({ agents: ['coder', 'tester'] });
    const context = { roster, sender: 'coder' as AgentId, repliesToPerson: false };
    for (const name of ['orchestrator', 'god']) {
      expect(resolveAddresses([name], context).failures).toEqual([
        { to: name, code: 'no-orchestrator', candidates: ['human'] },
      ]);
    }
  });
});

describe('the person', () => {
  it('is reached through the orchestrator, and by it directly', () => {
    expect(resolve('human')).toMatchObject({ recipients: ['god'], needsHuman: true });
    expect(resolve('Human', 'god')).toMatchObject({ recipients: ['human'], needsHuman: true });
  });
  it('is reached directly in reply to the person, with a copy to the orchestrator', () => {
    const resolution = resolve('human', 'coder', true);
    expect(resolution).toMatchObject({ recipients: ['human', 'god'], copyTo: 'god' });
    expect(resolve('human', 'god', true)).toMatchObject({ recipients: ['human'] });
  });
  it('and the orchestrator addressed together make no copy', () => {
    const resolution = resolve(['human', 'god'], 'coder', true);
    expect(resolution.recipients).toEqual(['human', 'god']);
    expect(resolution.copyTo).toBeUndefined();
    expect(resolve(['god', 'human'], 'coder').recipients).toEqual(['god']);
  });
  it('is reached directly where no orchestrator reads mail', () => {
    const agents = ['coder', { id: 'god', sendOnly: true }];
    for (const orchestrator of [undefined, 'god']) {
      const roster = rosterFor({ agents, orchestrator });
      const context = { roster, sender: 'coder' as AgentId, repliesToPerson: false };
      expect(resolveAddresses(['human'], context).recipients).toEqual(['human']);
    }
  });
});

describe('the router itself', () => {
  it('reads no mail, under either name', () => {
    for (const name of ['system', 'SYSTEM', 'router']) {
      expect(failure(name)?.code).toBe('reply-to-system');
    }
  });
});
