import { errorText } from '@agenthost/protocol/values';
import { announceHost, type StandbyRecord } from '../host-link/discovery.ts';
import { removeStopMark } from '../host-link/stop-mark.ts';

/** Facts about a standby that do not change while it waits. */
export type StandbyFacts = Pick<
  StandbyRecord,
  'dataDir' | 'version' | 'args' | 'cwd' | 'token' | 'tokenFrom' | 'passwordFrom' | 'service' | 'cell'
>;

/** Writes the record of this standby while it waits, for other commands of its user. */
export class StandbyRecordWriter {
  readonly #folder: string;
  readonly #facts: StandbyFacts;
  readonly #tell: (line: string) => void;
  #startedAt: string | undefined;
  #written: Promise<(() => Promise<void>) | undefined> = Promise.resolve(undefined);

  /** `tell` gets a line if the record cannot be written to `folder`. */
  constructor(folder: string, facts: StandbyFacts, tell: (line: string) => void) {
    this.#folder = folder;
    this.#facts = facts;
    this.#tell = tell;
  }

  /** Writes why the standby waits, and for which host. The first call is the begin of the wait. */
  write(reason: string, holder: string | undefined): void {
    // Of an earlier process with this pid.
    if (this.#startedAt === undefined) removeStopMark(this.#folder, process.pid);
    this.#startedAt ??= new Date().toISOString();
    const record = { ...this.#facts, startedAt: this.#startedAt, reason, ...(holder && { holder }) };
    this.#written = this.#written.then(async (remove) => {
      try {
        return await announceHost(this.#folder, record);
      } catch (error) {
        this.#tell(`\`status\` and \`stop\` do not find this standby: ${errorText(error)}`);
        return remove;
      }
    });
  }

  /** Resolves when the record is written, so that the record of the host can replace it. */
  async settle(): Promise<void> {
    await this.#written;
  }

  /** Removes the record, when the process ends without a host. */
  async withdraw(): Promise<void> {
    const remove = await this.#written;
    if (remove === undefined) return;
    // Not before the end of the process, so that no other command sends a second signal.
    process.once('exit', () => removeStopMark(this.#folder, process.pid));
    await remove();
  }
}
