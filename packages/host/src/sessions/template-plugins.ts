import type { ClientPluginCustomization, PluginCustomization } from '@agenthost/protocol';
import type { Channel } from '../sync/channel.ts';
import type { Tx } from '../sync/tx.ts';

/** The copies for a template that is about to be saved. */
export interface PreparedPlugins {
  /** The copies as the entry shows them. */
  readonly shown: PluginCustomization[];
  /** Whether the copies that stay are there still. */
  isCurrent(): boolean;
  /** Makes them those of the automation. */
  settle(tx: Tx): void;
  /** Removes the new ones, because the template is not saved. */
  discard(): void;
}

/** The copies that an automation has, kept for a run that is starting. */
export interface HeldPlugins {
  /** Gives them to the session of the run. */
  attach(tx: Tx, session: Channel<'session'>): void;
  release(): void;
}

/** The host's copies of the plugins that templates name [AUTO-14]. */
export interface TemplatePlugins {
  /** Copies what the automation does not have yet from a client. Resolves with a text for people if one plugin cannot be copied. */
  prepare(
    automation: string,
    plugins: readonly ClientPluginCustomization[],
    clientId: string,
  ): Promise<PreparedPlugins | string>;
  drop(tx: Tx, automation: string): void;
  hold(automation: string): HeldPlugins;
}
