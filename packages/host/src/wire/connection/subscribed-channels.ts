import type { Channel } from '../../sync/channel.ts';

/** The channels that a connection is subscribed to. Calls back with each change of their number. */
export class SubscribedChannels extends Set<Channel> {
  readonly #onChange: (by: number) => void;

  constructor(onChange: (by: number) => void) {
    super();
    this.#onChange = onChange;
  }

  override add(channel: Channel): this {
    if (!this.has(channel)) this.#onChange(1);
    return super.add(channel);
  }

  override delete(channel: Channel): boolean {
    const wasThere = super.delete(channel);
    if (wasThere) this.#onChange(-1);
    return wasThere;
  }

  override clear(): void {
    this.#onChange(-this.size);
    super.clear();
  }
}
