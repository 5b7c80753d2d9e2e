import { Writable } from 'node:stream';
import type { Mirror } from '@agenthost/client';
import { ROOT_URI } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import type { Connected } from '../host-link/connect-target.ts';
import type { HostTarget } from '../host-link/find-host.ts';
import type { Context } from '../process/context.ts';
import { oneLine } from '../render/plain-text.ts';
import { Screen } from '../render/screen.ts';
import { connectKnown, everyHost, isAbsent, type KnownHost } from './every-host.ts';

/** Called with each host that has answered. */
type AddHost = (label: string, connected: Connected, root: Mirror<'root'>) => void;

/** Connections to all hosts except that of the command. */
export class OtherHosts {
  readonly #context: Context;
  readonly #add: AddHost;
  readonly #closing = new AbortController();

  /** `add` is called for each host that answers. */
  constructor(context: Context, add: AddHost) {
    this.#context = context;
    this.#add = add;
  }

  /** Connects to all hosts but `present`, each on its own, and returns at once. `tell` gets the reason when a host does not answer. */
  open(present: HostTarget, tell: (problem: string) => void): void {
    // A line on stderr would break the window.
    const stderr = new Writable({
      write: (chunk, _encoding, done) => {
        tell(oneLine(String(chunk).trim(), 500));
        done();
      },
    });
    const { env, platform, stdout } = this.#context;
    const screen = new Screen({ env, platform, stdout, stderr });
    const connecting = everyHost(this.#context, screen).then((hosts) =>
      Promise.all(
        hosts
          .filter(({ target }) => target.url !== present.url)
          .map((host) => this.#connect(screen, host, tell)),
      ),
    );
    connecting.catch((error: unknown) => tell(oneLine(errorText(error), 500)));
  }

  /** Closes the connections, and aborts the attempts to connect. */
  close(): void {
    this.#closing.abort(new Error('the command has ended'));
  }

  async #connect(screen: Screen, host: KnownHost, tell: (problem: string) => void): Promise<void> {
    const { label } = host;
    const { signal } = this.#closing;
    try {
      const connected = await connectKnown(this.#context, screen, host, { signal });
      const { client } = connected;
      if (signal.aborted) return client.close();
      signal.addEventListener('abort', () => client.close(), { once: true });
      const root = await client.subscribe(ROOT_URI);
      if (!signal.aborted) this.#add(label, connected, root);
    } catch (error) {
      if (!signal.aborted && !isAbsent(error)) tell(`${label}: ${oneLine(errorText(error), 300)}`);
    }
  }
}
