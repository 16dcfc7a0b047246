import { describe, expect, test } from 'vitest';
import { redactSecrets } from '../../src/protocol/redact.ts';

// Put together here, so that no scanner of repositories takes this file for a leak.
const RANDOM = 'Ab3dEf7hIj1kLm5nOp9qRs2tUv6wXy0zAb3dEf7hIj1kLm5n';
const issued = (prefix: string, length: number): string => prefix + RANDOM.slice(0, length);
const pem = (label: string): string => `-----${label} RSA PRIVATE KEY-----`;
const PEM_LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj';
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${RANDOM.slice(0, 43)}`;
const SHA = '3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39';

const ISSUED: [name: string, secret: string, kind: string][] = [
  ['OpenAI', issued('sk-', 48), 'api-key'],
  ['OpenAI, of a project', issued('sk-proj-', 40), 'api-key'],
  ['OpenAI-like, hexadecimal', 'sk-0123456789abcdef0123456789abcdef', 'api-key'],
  ['Anthropic', issued('sk-ant-api03-', 40), 'api-key'],
  ['AWS', 'AKIAIOSFODNN7EXAMPLE', 'api-key'],
  ['AWS, temporary', 'ASIAIOSFODNN7EXAMPLE', 'api-key'],
  ['AWS, with its secret', `AKIAIOSFODNN7EXAMPLE:${RANDOM.slice(0, 40)}`, 'api-key'],
  ['Google', issued('AIza', 35), 'api-key'],
  ['Stripe', issued('sk_live_', 24), 'api-key'],
  ['Stripe, restricted', issued('rk_live_', 24), 'api-key'],
  ['SendGrid', `${issued('SG.', 22)}.${RANDOM.slice(0, 43)}`, 'api-key'],
  ['GitHub', issued('ghp_', 36), 'token'],
  ['GitHub OAuth', issued('gho_', 36), 'token'],
  ['GitHub server', issued('ghs_', 36), 'token'],
  ['GitHub, fine-grained', issued('github_pat_11ABCDEFG0_', 40), 'token'],
  ['GitLab', issued('glpat-', 20), 'token'],
  ['Slack', issued('xoxb-123456789012-123456789012-', 24), 'token'],
  ['Slack user', issued('xoxp-123456789012-', 24), 'token'],
  ['npm', issued('npm_', 36), 'token'],
  ['Hugging Face', issued('hf_', 34), 'token'],
  ['JSON web token', JWT, 'jwt'],
  ['JSON web token, cut off', JWT.slice(0, 30), 'jwt'],
];

describe('redactSecrets on issued keys', () => {
  test.each(ISSUED)('takes out a key of %s', (_, secret, kind) => {
    expect(redactSecrets(secret)).toBe(`[redacted:${kind}]`);
    expect(redactSecrets(`use ${secret}, please`)).toBe(`use [redacted:${kind}], please`);
    expect(redactSecrets(`{"k":"${secret}"}\n`)).toBe(`{"k":"[redacted:${kind}]"}\n`);
    expect(redactSecrets(`first\\n${secret}`)).toBe(`first\\n[redacted:${kind}]`);
  });
});

describe('redactSecrets on headers and addresses', () => {
  test.each([
    [`Bearer ${RANDOM}`, 'Bearer [redacted:bearer]'],
    [`curl -H 'authorization: bearer ${SHA}'`, "curl -H 'authorization: bearer [redacted:bearer]'"],
    ['bearer abc-9876-xyzzy01.', 'bearer abc-9876-xyzzy01.'],
    ['Bearer zq81-9876543-x.', 'Bearer [redacted:bearer].'],
    ['Authorization: Basic QWxhZGRpbjpvcGVu', 'Authorization: Basic [redacted:basic]'],
    ['Authorization: Basic YTpi', 'Authorization: Basic [redacted:basic]'],
    ['{"Authorization": "Bearer xyzzy"}', '{"Authorization": "Bearer [redacted:bearer]"}'],
    ['Proxy-Authorization: Token 0a1b2c3d', 'Proxy-Authorization: Token [redacted:token]'],
    [`Authorization: ${RANDOM}`, 'Authorization: [redacted:token]'],
    ['https://user:pass@host/x', 'https://user:[redacted:password]@host/x'],
    ['postgres://u:p@ss@db:5432/x', 'postgres://u:[redacted:password]@db:5432/x'],
    [
      `https://${issued('ghp_', 36)}:x-oauth-basic@github.com`,
      'https://[redacted:password]@github.com',
    ],
    ['redis://:hunter2@localhost', 'redis://:[redacted:password]@localhost'],
  ])('shows %j as %j', (text, shown) => {
    expect(redactSecrets(text)).toBe(shown);
  });
});

describe('redactSecrets on private keys', () => {
  const shown = 'a\n[redacted:pem]\nb';
  test.each([
    ['whole', `a\n${pem('BEGIN')}\n${PEM_LINE}\nabc=\n${pem('END')}\nb`, shown],
    [
      'with headers',
      `a\n${pem('BEGIN')}\nDEK-Info: AES-128,AB\n\n${PEM_LINE}\n${pem('END')}\nb`,
      shown,
    ],
    ['quoted in mail', `${pem('BEGIN')}\n> ${PEM_LINE}\n> abc=\n${pem('END')}`, '[redacted:pem]'],
    ['in JSON', `"${pem('BEGIN')}\\n${PEM_LINE}\\nab\\n${pem('END')}\\n"`, '"[redacted:pem]\\n"'],
    ['cut off', `a\n${pem('BEGIN')}\n${PEM_LINE}\nabc\n`, 'a\n[redacted:pem]\n'],
    ['cut off in JSON', `"${pem('BEGIN')}\\n${PEM_LINE}\\nMI`, '"[redacted:pem]'],
    ['cut off in the first line', `${pem('BEGIN')}\nMIIEvQ`, '[redacted:pem]'],
    ['cut off with headers', `${pem('BEGIN')}\nProc-Type: 4,X\n\n${PEM_LINE}`, '[redacted:pem]'],
    [
      'cut off before another',
      `${pem('BEGIN')}\n${PEM_LINE}\n\n${pem('BEGIN')}\n${PEM_LINE}\n${pem('END')}`,
      '[redacted:pem]\n\n[redacted:pem]',
    ],
    [
      'cut off, prose after it',
      `${pem('BEGIN')}\n${PEM_LINE}\n\nIt ends.`,
      '[redacted:pem]\n\nIt ends.',
    ],
  ])('takes out one that is %s', (_, text, expected) => {
    expect(redactSecrets(text)).toBe(expected);
  });
});

describe('redactSecrets on named fields', () => {
  test.each([
    ['password = value', 'password = [redacted:password]'],
    ['password: hunter2', 'password: [redacted:password]'],
    ['PASSWORD=hunter2 make', 'PASSWORD=[redacted:password] make'],
    ['login: bob\npassword: swordfish\n', 'login: bob\npassword: [redacted:password]\n'],
    ['PASSWORD="correct horse battery"', 'PASSWORD="[redacted:password]"'],
    ['PASSWORD=correct-horse-battery', 'PASSWORD=[redacted:password]'],
    ["passwd='x y z'", "passwd='[redacted:password]'"],
    ['password="hunter2', 'password="[redacted:password]'],
    ['DB_PASS=hunter2', 'DB_PASS=[redacted:password]'],
    ['**Password:** hunter2', '**Password:** [redacted:password]'],
    ['Server=x;Password=abc;Catalog=y', 'Server=x;Password=[redacted:password];Catalog=y'],
    ['{"password": "hunter2", "x": 1}', '{"password": "[redacted:password]", "x": 1}'],
    ['{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"[redacted:password]\\"}'],
    ['{"password": "a\\"bc"}', '{"password": "[redacted:password]"}'],
    ['api_key: "value"', 'api_key: "[redacted:api-key]"'],
    ['const apiKey = "abcdef";', 'const apiKey = "[redacted:api-key]";'],
    ['the api key: 12345abcde', 'the api key: [redacted:api-key]'],
    ['AccountKey=abc==;x=1', 'AccountKey=[redacted:api-key];x=1'],
    ['SECRET_TOKEN=value', 'SECRET_TOKEN=[redacted:token]'],
    ['GET /x?token=abcdef&page=2', 'GET /x?token=[redacted:token]&page=2'],
    ['curl --token abc123def x', 'curl --token [redacted:token] x'],
    [`token: ${SHA}`, 'token: [redacted:token]'],
    ['//host/:_authToken=abcd-efgh', '//host/:_authToken=[redacted:token]'],
    [`aws_secret_access_key = ${RANDOM}`, 'aws_secret_access_key = [redacted:secret]'],
    ['client_secret=abc', 'client_secret=[redacted:secret]'],
    [`password=${'x1'.repeat(5000)}, next`, 'password=[redacted:password], next'],
  ])('shows %j as %j', (text, shown) => {
    expect(redactSecrets(text)).toBe(shown);
  });
});

describe('redactSecrets on what only looks alike', () => {
  test.each([
    ['the password is checked in login.ts'],
    ['token: see docs'],
    ['key = value pairs'],
    ['a secret: the cake'],
    ['password: required'],
    ['Password?'],
    ['refresh token expired'],
    ['token: 3f2a9c1'],
    ['bearer of news'],
    ['Bearer token and Bearer authentication'],
    [`the bearer ${SHA}`],
    ['Authorization: required'],
    ['Authorization: Basic auth'],
    ['"-----BEGIN PRIVATE KEY-----" in the file'],
    [SHA],
    ['3f2a9c1'],
    [SHA + SHA.slice(0, 24)],
    [`task-${SHA}`],
    ['550e8400-e29b-41d4-a716-446655440000'],
    ['01jabcdefghj-abcd5678'],
    ['0jd8m2xhq0sk-4kd92jf8'],
    ['aGVsbG8= and dGVzdA=='],
    ['/home/x/.ssh/token and C:\\Users\\x\\password.txt'],
    ['src/auth/password.ts:42: token'],
    ['token: src/auth/token.ts'],
    ['PASSWORD_FILE=/run/secrets/db'],
    ['TOKEN=./secrets/token'],
    ['risk-assessment-of-2026, task-implement-the-login-page, sk-fading-circle'],
    ['surveyJsonSchemaValidatorFactoryBuilder2'],
    ['npm_config_registry=x, npm_lifecycle_event'],
    ['ghp_your_token_here, xoxb-your-token-here, sk-…'],
    ['max_tokens: 4096, token = 42'],
    ['passwordless: true'],
    ['interface Login { password: string; token?: string | null }'],
    ['const token = getToken(); password = await ask();'],
    ['user.password = req.body.password;'],
    ['if (token === expected) Token::Secret'],
    ['tokens.map((token) => token.id)'],
    ['password: process.env.PW, PASSWORD=$PASSWORD, ${{ secrets.TOKEN }}'],
    ['password: <your password>, token=${TOKEN}, secret: ***'],
    ['https://host:8080/a@b, git@github.com:o/r.git, https://h/@scope/x'],
    ['https://user:${PASS}@host'],
    ['[redacted:token] and password = [redacted:password]'],
  ])('leaves %j as it is', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });
});
