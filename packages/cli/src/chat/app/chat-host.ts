import type { AhpClient, Mirror, SessionCatalogue } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import type { Environment } from './environment.ts';

/** A connected host. */
export interface ChatHostParts {
  readonly client: AhpClient;
  readonly root: Mirror<'root'>;
  /** Address of the host, for display. */
  readonly address: string;
  /** Its name in the user's list of hosts. Absent: the address. */
  readonly name?: string;
  /** Folder that new sessions work in, as a path; absent: the host decides. */
  readonly folder?: string | undefined;
  /** Hands the window to a terminal of this host until the user leaves it. */
  showTerminal(uri: URI): Promise<void>;
}

/** A host whose sessions the chat program shows. */
export interface ChatHost {
  /** Shown beside its sessions where there are several hosts. */
  readonly name: string;
  readonly address: string;
  /** The services that views of its sessions use. */
  readonly env: Environment;
  readonly root: Mirror<'root'>;
  readonly catalogue: SessionCatalogue;
}
