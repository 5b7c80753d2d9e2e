import type { HostAddress, PageClientOptions } from '../live/host-link.ts';
import { language } from '../text/text.ts';

/** How the page introduces itself to a host. */
export function clientOptions(_address: HostAddress): PageClientOptions {
  return {
    clientInfo: { name: 'agenthost-web', title: 'Web page', version: '0.1.0' },
    locale: language,
    onError: (error, where) => {
      // oxlint-disable-next-line no-console -- the browser's console is the page's only log
      console.error(where, error);
    },
  };
}
