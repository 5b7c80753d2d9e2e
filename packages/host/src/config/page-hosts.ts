import type { ConfigPropertySchema } from '@agenthost/protocol';

/** The list becomes a part of a header of every page, so it is short. */
const MAX_PAGE_HOSTS = 32;
/** Longest name of a host in DNS, with scheme and port. */
const MAX_ORIGIN_LENGTH = 270;

/** The setting that lists the other hosts of the web page. */
export const PAGE_HOSTS_PROPERTY: ConfigPropertySchema = {
  type: 'array',
  title: 'Other hosts of the web page',
  description:
    'Origins of other hosts that the web page of this host may connect to, such as `https://example.org:4711`. Each of these hosts needs the origin of this page in its `allowedOrigins`',
  items: { type: 'string', title: 'Origin' },
  maxItems: MAX_PAGE_HOSTS,
  default: [],
};

/** Whether a value is a list of origins of HTTP or HTTPS. */
export const isPageHosts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= MAX_PAGE_HOSTS && value.every(isHttpOrigin);

function isHttpOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_ORIGIN_LENGTH) return false;
  // Characters of other origins could end the directive of a policy.
  if (!/^https?:\/\/[\w.:[\]-]+$/.test(value)) return false;
  return URL.parse(value)?.origin === value;
}
