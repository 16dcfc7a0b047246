import type { AgentId } from '../../protocol/addresses.ts';
import { askCodexTrust, type CodexTrust } from '../../setup/codex-trust.ts';
import type { SetupPlace } from '../../setup/place.ts';
import { type InstallRecord, listRecords } from '../../setup/record.ts';
import { type ShownSetup, showSetups } from '../../setup/show.ts';
import type { Examination } from '../examination.ts';
import { allWell, count, type Observation } from '../finding.ts';

/** Looks whether what was installed into the settings of clients is still there, and whether it is run. */
export async function checkHooks(exam: Examination): Promise<Observation[]> {
  const installed = exam.owners.flatMap((agent) => setupsOf(exam, agent));
  const found: Observation[] = [];
  for (const one of installed) found.push(...(await aboutSetup(exam, one)));
  if (found.length > 0) return found;
  if (installed.length === 0)
    return [allWell('Nothing is installed into the settings of clients.')];
  const things = count(installed.length, 'installation', 'installations');
  return [allWell(`${things} in the settings of clients, in place.`)];
}

/** What was installed for an agent in one file. */
interface Setup {
  agent: AgentId;
  kind: InstallRecord['kind'];
  shown: ShownSetup;
  place: SetupPlace;
}

function setupsOf({ layout, env }: Examination, agent: AgentId): Setup[] {
  const { root } = layout.agent(agent);
  const asked = new Map(
    listRecords(root).map((record) => [`${record.kind} ${record.client}`, record]),
  );
  return [...asked.values()].flatMap(({ kind, client }) => {
    const owner = { client, hive: layout.root, agent };
    const place: SetupPlace = { kind, owner, root, env, cwd: layout.root };
    return showSetups(place).map((shown) => ({ agent, kind, shown, place }));
  });
}

const NOUNS = { hooks: 'hooks', mcp: 'MCP server' } as const;

async function aboutSetup({ env }: Examination, setup: Setup): Promise<Observation[]> {
  const { agent, kind, shown, place } = setup;
  const { client, file, state, problem } = shown;
  const what = `the ${NOUNS[kind]} of ${agent} for ${client}`;
  const command = `hivemail ${kind} install ${client} --agent ${agent}`;
  if (state === 'gone') {
    return [
      {
        level: 'warning',
        what: `Somebody took ${what} out of ${file}.`,
        means: kind === 'hooks' ? UNHEARD : 'Its sessions have no tools for mail from there.',
        advice: `\`${command}\` puts it back; with \`uninstall\` it is forgotten.`,
      },
    ];
  }
  if (state === 'unreadable') {
    return [
      {
        level: 'warning',
        what: `It can’t be seen whether ${what} is installed: ${problem}`,
        means: 'The client may not be able to read its settings either.',
        advice: 'Correct the file, or uninstall.',
      },
    ];
  }
  const older: Observation[] =
    state === 'older'
      ? [
          {
            level: 'note',
            what: `In ${file}, ${what} is not as this version installs it.`,
            advice: `Bring it up to date with \`${command}\`.`,
          },
        ]
      : [];
  if (kind !== 'hooks' || client !== 'codex') return older;
  const trust = await askCodexTrust({ owner: place.owner, file, env });
  return [...older, ...aboutTrust(trust, agent, file)];
}

const UNHEARD = 'Its sessions hear of no mail by themselves.';

function aboutTrust(trust: CodexTrust, agent: AgentId, file: string): Observation[] {
  switch (trust) {
    case 'trusted':
      return [];
    case 'untrusted':
      return [
        {
          level: 'warning',
          what: `Codex leaves out hooks of ${agent} in ${file}: it was not told to trust them as they are.`,
          means: UNHEARD,
          advice: 'Start `codex`, type /hooks, and trust those of hivemail.',
        },
      ];
    case 'unread':
      return [
        {
          level: 'warning',
          what: `Codex does not read ${file}.`,
          means: UNHEARD,
          advice: 'Start `codex` in that project, and trust the project when it asks.',
        },
      ];
    case 'unknown':
      return [
        {
          level: 'note',
          what: `Codex could not be asked whether it trusts the hooks of ${agent} in ${file}.`,
          advice: 'Look with /hooks in `codex`, or run doctor where `codex` is in PATH.',
        },
      ];
  }
}
