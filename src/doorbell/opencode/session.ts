/** What opencode gives its plugins, as far as ours uses it. */
export interface OpencodeInput {
  /** Absolute path of the project. */
  directory: string;
  client: {
    session: {
      get(request: { path: { id: string } }): Promise<{ data?: SessionInfo | undefined }>;
      promptAsync(request: PromptRequest): Promise<{ error?: unknown }>;
    };
  };
}

/** A session as opencode describes it; one of a subagent has a parent. */
export interface SessionInfo {
  id: string;
  parentID?: string | undefined;
}

/** A turn to start. */
export interface PromptRequest {
  path: { id: string };
  body: Voice & { parts: { type: 'text'; text: string }[] };
}

/** As whom a session was last prompted: a turn that mail starts has no more rights than that. */
export interface Voice {
  agent?: string | undefined;
  model?: { providerID: string; modelID: string } | undefined;
  variant?: string | undefined;
}

/** A session that the plugin has met. */
export interface Session {
  id: string;
  /** The session that a person sees: itself, or the one it is a subagent of. */
  root: string;
  voice: Voice;
}

const MOST_SESSIONS = 500;
const MOST_PARENTS = 8;

/** The sessions of one client. */
export interface Sessions {
  /**
   * Finds a session, and meets it.
   * @returns nothing when opencode does not know it; whose it is, is then not known either
   */
  find(id: string): Promise<Session | undefined>;
  has(id: string): boolean;
  forget(id: string): void;
}

/** Keeps the sessions that a plugin has met, a bounded number of them. */
export function keepSessions({ client }: OpencodeInput): Sessions {
  const met = new Map<string, Session>();

  async function rootOf(id: string): Promise<string | undefined> {
    let at = id;
    for (let parents = 0; parents < MOST_PARENTS; parents += 1) {
      const known = met.get(at);
      if (known !== undefined) return known.root;
      const { data } = await client.session.get({ path: { id: at } });
      if (data?.id !== at) return undefined;
      if (!data.parentID) return at;
      at = data.parentID;
    }
    return undefined;
  }

  return {
    find: async (id) => {
      const known = met.get(id);
      if (known !== undefined) return known;
      const root = await rootOf(id);
      if (root === undefined) return undefined;
      const session: Session = { id, root, voice: {} };
      const [oldest] = met.keys();
      if (met.size >= MOST_SESSIONS && oldest !== undefined) met.delete(oldest);
      met.set(id, session);
      return session;
    },
    has: (id) => met.has(id),
    forget: (id) => met.delete(id),
  };
}
