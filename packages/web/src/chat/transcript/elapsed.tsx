import { durationText } from '../../text/format.ts';
import { useNow } from '../use-now.ts';

/** The time since a moment, running. Nothing for an invalid one. */
export function Elapsed({ since }: { readonly since: string | undefined }) {
  const now = useNow(true);
  const start = since === undefined ? Number.NaN : Date.parse(since);
  if (Number.isNaN(start)) return undefined;
  const ms = Math.max(0, now - start);
  return (
    <span className="tabular-nums" aria-hidden>
      {durationText(ms < 10_000 ? Math.floor(ms / 1_000) * 1_000 : ms)}
    </span>
  );
}
