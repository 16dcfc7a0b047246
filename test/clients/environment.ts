/** What a child needs of the surroundings to run at all; everything else stays outside. */
const PASSED_ON = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'ComSpec',
  'PATHEXT',
];

/**
 * Makes the environment of a tested process: the few variables that a process needs, and those given.
 * A list of what passes, since keys, `GIT_DIR`, a client's own variables or the `HIVEMAIL_AGENT` of the
 * person who runs the tests must not decide their outcome, and no real key may reach a tested client.
 * @param variables - what this process is given
 */
export function scrubbedEnvironment(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = PASSED_ON.map((name) => [name, process.env[name]] as const);
  return { ...Object.fromEntries(passed.filter(([, value]) => value !== undefined)), ...variables };
}

/** Variables that send all traffic but the loopback's to the stub model, which refuses and records it. */
export function onlyLoopback(stubUrl: string): NodeJS.ProcessEnv {
  const loopback = '127.0.0.1,localhost,::1';
  return {
    HTTP_PROXY: stubUrl,
    HTTPS_PROXY: stubUrl,
    http_proxy: stubUrl,
    https_proxy: stubUrl,
    NO_PROXY: loopback,
    no_proxy: loopback,
  };
}
