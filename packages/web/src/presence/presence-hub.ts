import type { OwnPresence, Presence } from '@agenthost/client';
import type { PresenceTyping, URI } from '@agenthost/protocol';
import type { HostLink } from '../live/host-link.ts';
import { deviceOf } from './device.ts';

/** The channels that one part of the page shows, and the field in which its person writes. */
export interface PresentPart {
  readonly showing?: readonly URI[] | undefined;
  readonly typing?: PresenceTyping | undefined;
}

/** The host accepts at most this number of channels. */
const MAX_SHOWN = 16;

/** Joins the parts of a page: all that they show, and where its person wrote last. */
export function joinParts(parts: Iterable<PresentPart>): Pick<OwnPresence, 'showing' | 'typing'> {
  const showing = new Set<URI>();
  let typing: PresenceTyping | undefined;
  for (const part of parts) {
    for (const uri of part.showing ?? []) showing.add(uri);
    typing = part.typing ?? typing;
  }
  return {
    showing: Array.from(showing).slice(0, MAX_SHOWN),
    ...(typing === undefined ? {} : { typing }),
  };
}

/** Tells one host what the page shows there, while a part of the page is present. */
export class PresenceHub {
  readonly #link: HostLink;
  readonly #parts = new Map<object, PresentPart>();
  readonly #device = deviceOf(navigator.userAgent);
  #told: Presence | undefined;

  constructor(link: HostLink) {
    this.#link = link;
    link.onChange(() => {
      // A new client has told nothing yet.
      if (this.#link.client?.presence !== this.#told) this.#tell();
    });
    document.addEventListener('visibilitychange', () => this.#tell());
    // Safari puts a page away without the event above, but hides it first.
    window.addEventListener('pagehide', () => this.#tell(true));
    window.addEventListener('pageshow', () => this.#tell());
  }

  /** Adds or changes a part. A change moves it to the end, so that its typing is the latest. */
  set(key: object, part: PresentPart): void {
    this.#parts.delete(key);
    this.#parts.set(key, part);
    this.#tell();
  }

  /** Removes a part. */
  delete(key: object): void {
    if (this.#parts.delete(key)) this.#tell();
  }

  #tell(isLeaving = false): void {
    const presence = this.#link.client?.presence;
    this.#told = presence;
    presence?.set({
      ...joinParts(this.#parts.values()),
      isVisible: !isLeaving && document.visibilityState === 'visible',
      device: this.#device,
    });
  }
}

const hubs = new WeakMap<HostLink, PresenceHub>();

/** The hub of a host. It lasts as long as the page. */
export function presenceHub(link: HostLink): PresenceHub {
  const present = hubs.get(link);
  if (present !== undefined) return present;
  const hub = new PresenceHub(link);
  hubs.set(link, hub);
  return hub;
}
