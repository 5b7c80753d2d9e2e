import { isPreviewHost, type PreviewOptions } from '@agenthost/host';
import { defined } from '@agenthost/protocol/values';
import { usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';

const MAX_PORT = 65_535;

/** Where previews are, as typed: `off`, a port or a range of ports, and a pattern of host names. Throws a usage error. */
export function previewsOf({
  host,
  previewPort,
  previewHost,
}: {
  /** The address that the host listens on. */
  readonly host: string;
  readonly previewPort?: string | undefined;
  readonly previewHost?: string | undefined;
}): PreviewOptions | false | undefined {
  if (previewPort === 'off') {
    if (previewHost !== undefined)
      throw usageError('--preview-host: there are no previews with --preview-port off');
    return false;
  }
  if (previewHost !== undefined && !isPreviewHost(previewHost))
    throw usageError(
      `--preview-host: expected a pattern such as *.preview.example.org, got ${oneLine(previewHost) || 'nothing'}`,
    );
  if (previewPort === undefined && previewHost === undefined) return undefined;
  const { port, lastPort } = portsOf(previewPort ?? '0');
  if (lastPort !== undefined && previewHost !== undefined)
    throw usageError('--preview-port: previews with names of their own share one port; expected a port');
  const isAnyPort = port === 0 && previewPort !== undefined && previewHost === undefined;
  if (isAnyPort && !isLoopbackAddress(host))
    throw usageError(
      '--preview-port: expected a port or a range other than 0, because other machines connect to it',
    );
  if (lastPort !== undefined && isLoopbackAddress(host))
    throw usageError('--preview-port: previews on loopback share one port; expected a port');
  return { port, ...defined({ lastPort, host: previewHost }) };
}

function portsOf(text: string): { readonly port: number; readonly lastPort?: number } {
  const [, first, last] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [port, lastPort] = [Number(first), last === undefined ? undefined : Number(last)];
  const isRange = lastPort === undefined || (lastPort >= port && lastPort <= MAX_PORT && port > 0);
  if (first === undefined || port > MAX_PORT || !isRange)
    throw usageError(
      `--preview-port: expected off, a port, or a range such as 4720-4739, got ${oneLine(text) || 'nothing'}`,
    );
  return { port, ...defined({ lastPort }) };
}

const isLoopbackAddress = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host.startsWith('127.');
