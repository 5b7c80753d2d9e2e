/** Variables of the host's environment that every agent gets. A trailing `*` matches any rest of the name. */
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

/** Prefix of the host's own settings, including its token. No allow list passes them on. */
const OWN_PREFIX = 'AGENTHOST_';

/**
 * The environment of an agent: the host's variables named by the common list and by `allow`, then `set` on
 * top. Variables that start with `AGENTHOST_` are always removed, so that an agent cannot act as the host's
 * owner.
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
