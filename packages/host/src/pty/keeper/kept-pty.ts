import type { Pty, PtyExit, PtySink } from '../pty.ts';
import type { KeeperConnection } from './keeper-connection.ts';
import type { ListedPty } from './protocol.ts';

/** A pty of a keeper, over the connection to the keeper. */
export class KeptPty implements Pty {
  readonly id: string;
  readonly pid: number;
  readonly #connection: KeeperConnection;
  readonly #number: number;
  readonly #released: () => void;
  readonly #gone = Promise.withResolvers<void>();
  #sink: PtySink | undefined;
  /** The exit of a pty whose keeper was gone before `read`. */
  #earlyExit: PtyExit | undefined;

  /** @param released Called when the pty was released. */
  constructor(connection: KeeperConnection, { pty, id, pid }: ListedPty, released: () => void) {
    this.#connection = connection;
    this.#number = pty;
    this.id = id;
    this.pid = pid;
    this.#released = released;
    connection.listen(pty, {
      data: (bytes, offset) => this.#sink?.data(bytes, offset),
      exit: (exit) => this.#ended(exit),
    });
  }

  read(offset: number, sink: PtySink): void {
    this.#sink = sink;
    if (this.#earlyExit === undefined) this.#connection.attach(this.#number, offset);
    else this.#ended(this.#earlyExit);
  }

  acknowledge(offset: number): void {
    this.#connection.acknowledge(this.#number, offset);
  }

  hold(isOn: boolean): void {
    this.#connection.tell({ type: 'hold', pty: this.#number, isOn });
  }

  write(data: string): void {
    this.#connection.write(this.#number, data);
  }

  resize(cols: number, rows: number): void {
    this.#connection.tell({ type: 'resize', pty: this.#number, cols, rows });
  }

  signal(signal: NodeJS.Signals): void {
    this.#connection.tell({ type: 'signal', pty: this.#number, signal });
  }

  async kill({ forgets = false } = {}): Promise<void> {
    if (!this.#connection.isOpen) return;
    const killed = this.#connection
      .request({ type: 'kill', pty: this.#number, forgets })
      .catch((error: unknown) => {
        // The host has closed the connection. The keeper got the request and ends the pty alone.
        if (this.#connection.isOpen) throw error;
      });
    // The exit may come before the answer, and the answer is lost when the keeper ends.
    await Promise.race([killed, this.#gone.promise, this.#connection.closed]);
  }

  release(): void {
    this.#connection.tell({ type: 'release', pty: this.#number });
    this.#connection.forget(this.#number);
    this.#released();
  }

  #ended(exit: PtyExit): void {
    this.#gone.resolve();
    const sink = this.#sink;
    this.#earlyExit = exit;
    if (sink === undefined) return;
    this.#sink = undefined;
    sink.exit(exit);
  }
}
