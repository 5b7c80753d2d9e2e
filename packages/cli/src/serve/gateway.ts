import {
  AccessError,
  type GatewaySettings,
  isAllowedHostEntry,
  isProxyAddress,
  JournalError,
  ListenRefused,
  type RunningGateway,
  startGateway,
  TlsError,
} from '@agenthost/host';
import { hasCode } from '@agenthost/protocol/values';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import { checkJournalUrl, splitJournalUrl } from './journal-url.ts';

/** Starts a gateway for the database of a journal URL. Rejects with a `CliError` that says what to do. */
export async function openGateway({
  journal,
  ...settings
}: Omit<GatewaySettings, 'url'> & { readonly journal: string }): Promise<RunningGateway> {
  const { url, cell } = splitJournalUrl(checkJournalUrl(journal));
  if (cell !== undefined)
    throw usageError('--journal: a gateway serves all cells: remove cell= from the URL');
  const { host, port, proxies = [], allowedHosts = [] } = settings;
  const wrongHost = allowedHosts.find((text) => !isAllowedHostEntry(text));
  if (wrongHost !== undefined)
    throw usageError(
      `--allowed-host: expected a name such as agents.example.org, with an optional port, got ${oneLine(wrongHost) || 'nothing'}`,
    );
  const wrong = proxies.find((text) => !isProxyAddress(text));
  if (wrong !== undefined)
    throw usageError(
      `--trust-proxy: expected an IP address or a subnet such as 10.0.0.0/8, got ${oneLine(wrong) || 'nothing'}`,
    );
  try {
    return await startGateway({ ...settings, url });
  } catch (cause) {
    const fail = (message: string): CliError => new CliError(EXIT.error, message, { cause });
    if (cause instanceof ListenRefused)
      throw fail(
        cause.code === 'blocked-port'
          ? `${cause.message} with --port`
          : `--host ${host} would admit other machines without encryption: add --tls-cert and --tls-key, or --insecure-listen behind a proxy that encrypts`,
      );
    if (cause instanceof JournalError || cause instanceof AccessError || cause instanceof TlsError)
      throw fail(cause.message);
    if (hasCode(cause, 'EADDRINUSE'))
      throw fail(`port ${port} on ${host} is in use: choose another port with --port; 0 picks a free port`);
    throw cause;
  }
}
