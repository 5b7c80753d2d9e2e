/** Options of `serve` as parsed. */
export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly data?: string;
  /** URL of a PostgreSQL database. */
  readonly journal?: string;
  readonly standby?: boolean;
  /** URL at which gateways reach the host. */
  readonly announce?: string;
  /** Labels for placement by gateways. */
  readonly label?: readonly string[];
  readonly config?: string;
  readonly root?: readonly string[];
  /** Listens by TLS with a certificate of the host's own. */
  readonly tls?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly insecureListen?: boolean;
  readonly basePath?: string;
  readonly trustProxy?: boolean;
  readonly previewPort?: string;
  readonly previewHost?: string;
  readonly tokenFile?: string;
  /** False with `--no-keeper`. */
  readonly keeper?: boolean;
  /** `key=value`s of the host's config that clients cannot change. */
  readonly set?: readonly string[];
  /** File to write all frames to. */
  readonly record?: string;
  /** Seconds that the first signal to stop waits for running turns. Default 0. */
  readonly drain?: number;
  /** Runs in the background. */
  readonly detach?: boolean;
  readonly json?: boolean;
}
