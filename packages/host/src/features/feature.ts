import type { ChannelModules } from '../handler-port/channel-module.ts';
import type { Commands } from '../handler-port/commands.ts';
import type { HttpRoutes } from '../handler-port/http-route.ts';
import type { Departures } from '../wire/clients/client-lives.ts';

/**
 * A part of the host: a folder of `features/` exports one function that makes it. `main/core.ts` lists the features of a host.
 * Features start in the order of that list, and stop in the opposite order.
 */
export interface Feature {
  /** The name of its folder, for the log. */
  readonly name: string;
  /** The requests of clients that it answers. */
  readonly commands?: Commands;
  /** The plain HTTP requests that it answers, by path. */
  readonly routes?: HttpRoutes;
  /** Plans the actions that clients dispatch on a kind of channel. */
  readonly channel?: ChannelModules;
  /** Is told of clients that leave a channel or come back. */
  readonly clients?: Departures;
  /** Registers observers of channels. Called when the feature is added, before any channel is loaded. */
  observe?(): void;
  /** Continues what an earlier host left in the journal. Called when all features are there, before any client connects. */
  recover?(): Promise<void> | void;
  /** Releases idle resources. Called every 15 s while the host runs. */
  sweep?(): void;
  /**
   * Ends everything that the feature has started. Also called if the start of the host fails, possibly
   * without `recover`.
   */
  stop?(): Promise<void> | void;
}
