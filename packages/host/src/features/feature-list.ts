import type { ChannelModules } from '../handler-port/channel-module.ts';
import type { Commands } from '../handler-port/commands.ts';
import type { HttpRoute, HttpRoutes } from '../handler-port/http-route.ts';
import type { Log } from '../lib/log.ts';
import type { Departures } from '../wire/clients/client-lives.ts';
import type { Feature } from './feature.ts';

/** The features of a host, in the order of their start. */
export class FeatureList {
  readonly #log: Log;
  readonly #features: Feature[] = [];
  #isStopped = false;
  readonly #commands: { -readonly [M in keyof Commands]: Commands[M] } = {};
  readonly #routes: Record<string, HttpRoute> = {};
  readonly #channels: { -readonly [K in keyof ChannelModules]: ChannelModules[K] } = {};

  constructor(log: Log) {
    this.#log = log;
  }

  /** The commands of all features. Grows with `add`. */
  get commands(): Commands {
    return this.#commands;
  }

  /** The HTTP routes of all features. Grows with `add`. */
  get routes(): HttpRoutes {
    return this.#routes;
  }

  /** The channel modules of all features. Grows with `add`. */
  get channels(): ChannelModules {
    return this.#channels;
  }

  /** Tells every feature of clients that leave a channel or come back. */
  readonly clients: Departures = {
    subscribed: (clientId, channel) => {
      for (const { clients } of this.#features) clients?.subscribed?.(clientId, channel);
    },
    unsubscribed: (clientId, channel) => {
      for (const { clients } of this.#features) clients?.unsubscribed(clientId, channel);
    },
    returned: async (clientId, subscriptions) => {
      for (const { clients } of this.#features) await clients?.returned(clientId, subscriptions);
    },
  };

  /** Appends a feature and returns it. Throws when another feature has one of its commands, its channel or its path. */
  add<F extends Feature>(feature: F): F {
    claim(this.#commands, feature.commands, 'command');
    claim(this.#channels, feature.channel, 'channel');
    claim(this.#routes, feature.routes, 'path');
    this.#features.push(feature);
    feature.observe?.();
    return feature;
  }

  /** Recovers the features in order. */
  async recover(): Promise<void> {
    for (const feature of this.#features) await feature.recover?.();
  }

  /** Sweeps the features in order. */
  sweep(): void {
    for (const feature of this.#features) feature.sweep?.();
  }

  /** Stops the features, the last one first; once. A feature that fails to stop is logged and keeps no other from stopping. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    for (const feature of this.#features.toReversed()) {
      try {
        await feature.stop?.();
      } catch (error) {
        this.#log.error({ error, feature: feature.name }, 'a feature did not stop cleanly');
      }
    }
  }
}

function claim(all: object, more: object = {}, what: string): void {
  for (const name of Object.keys(more))
    if (Object.hasOwn(all, name)) throw new Error(`two features have the ${what} ${name}`);
  Object.assign(all, more);
}
