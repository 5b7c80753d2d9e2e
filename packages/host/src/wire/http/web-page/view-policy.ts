import { type ViewDomains, viewDomains } from '@agenthost/protocol';
import { parseAuthority } from '../../../auth/origin.ts';

/** Inputs of the policy of a view. */
export interface ViewPolicyParts {
  /** The target of the request. Each `connect` and `resource` of its query is an origin that the view names [MCP-2]. */
  readonly url: string | undefined;
  /** The host of the page, and the origins of the other hosts of the page: no view reaches them. */
  readonly host: string | undefined;
  readonly pageHosts: readonly string[];
}

/**
 * The content security policy of the frame for views of MCP servers. They run in an origin of their own without storage, and reach nothing but the
 * page around them and the origins of the query that `viewDomains` allows.
 */
export function viewPolicy({ url = '', host, pageHosts }: ViewPolicyParts): string {
  const start = url.indexOf('?');
  const query = new URLSearchParams(start === -1 ? '' : url.slice(start));
  const wanted = viewDomains({
    connectDomains: query.getAll('connect'),
    resourceDomains: query.getAll('resource'),
  });
  const closed = [
    host === undefined ? undefined : parseAuthority(host)?.name,
    ...pageHosts.map((origin) => URL.parse(origin)?.hostname),
  ].filter((name) => name !== undefined);
  const open = (domains: readonly string[]): string[] =>
    domains.filter((domain) => !closed.some((name) => covers(domain, name.toLowerCase())));
  return directives({ connect: open(wanted.connect), resource: open(wanted.resource) });
}

const directives = ({ connect, resource }: ViewDomains): string =>
  [
    ['sandbox allow-scripts'],
    ["default-src 'none'"],
    ["script-src 'unsafe-inline'", ...resource],
    ["style-src 'unsafe-inline'", ...resource],
    ['img-src data: blob:', ...resource],
    ['font-src data:', ...resource],
    ['media-src data: blob:', ...resource],
    ...(connect.length === 0 ? [] : [['connect-src', ...connect]]),
    ["base-uri 'none'"],
    ["form-action 'none'"],
    ["frame-ancestors 'self'"],
  ]
    .map((parts) => parts.join(' '))
    .join('; ');

/** Whether an origin, whose name may begin with `*`, contains a host name. Ports do not count: cookies have none either. */
function covers(domain: string, name: string): boolean {
  const pattern = domain.replace(/^\w+:\/\//, '').replace(/:\d+$/, '');
  return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern;
}
