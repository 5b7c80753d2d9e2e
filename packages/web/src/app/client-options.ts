import type { HostAddress, LinkParts, PageClientOptions } from '../live/host-link.ts';
import { deviceOf } from '../presence/device.ts';
import { personNameSetting } from '../presence/person-name.ts';
import { language, text } from '../text/text.ts';
import { showError } from '../ui/toasts.tsx';
import type { PageLife } from './page-life.ts';
import { PAGE_VERSION } from './page-version.ts';

/** How the clients of this page introduce themselves, and where they keep unanswered actions. */
export const linkParts = (life: PageLife): LinkParts => ({
  options: (address: HostAddress): PageClientOptions => ({
    clientInfo: {
      name: 'agenthost-web',
      title: personNameSetting.value || text.app.clientTitle,
      version: PAGE_VERSION,
      'x-device': deviceOf(navigator.userAgent),
    },
    locale: language,
    capabilities: { mcpApps: {} },
    memory: life.memoryOf(address.id),
    onError: (error, where) => {
      // oxlint-disable-next-line no-console -- the browser's console is the page's only log
      console.error(where, error);
      showError(isOfFullStorage(error) ? text.app.storageFull : text.app.unexpected);
    },
  }),
  forgetLife: (hostId) => life.forget(hostId),
});

const isOfFullStorage = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'QuotaExceededError';
