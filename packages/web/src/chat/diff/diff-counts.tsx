import { text } from '../../text/text.ts';

/** "+3 −1". */
export function DiffCounts({
  added,
  removed,
}: {
  readonly added: number | undefined;
  readonly removed: number | undefined;
}) {
  return (
    <>
      {added !== undefined && added > 0 && (
        <span className="text-ok tabular-nums">
          +{added}
          <span className="sr-only"> {text.chat.diffAdded}</span>
        </span>
      )}
      {removed !== undefined && removed > 0 && (
        <span className="text-danger tabular-nums">
          −{removed}
          <span className="sr-only"> {text.chat.diffRemoved}</span>
        </span>
      )}
    </>
  );
}
