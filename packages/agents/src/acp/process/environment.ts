/** What every agent gets of the host's environment. A trailing `*` stands for any rest of the name. */
const COMMON_NAMES: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'TZ',
  'TERM',
  'TMPDIR',
  'XDG_*',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/** The host's own settings, its token among them. No list of names lets these through. */
const OWN_PREFIX = 'AGENTHOST_';

/**
 * The environment of an agent: what the common list and `allow` name of the host's, then `set` on top. Nothing that starts with
 * `AGENTHOST_` is ever in it, so that an agent cannot act as the host's owner.
 */
export function agentEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  allow: readonly string[],
  set: Readonly<Record<string, string>>,
): Record<string, string> {
  const patterns = [...COMMON_NAMES, ...allow];
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && patterns.some((pattern) => matches(pattern, name))) result[name] = value;
  }
  Object.assign(result, set);
  for (const name of Object.keys(result)) {
    if (name.startsWith(OWN_PREFIX)) delete result[name];
  }
  return result;
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
