import { visibleText } from '../text/visible-text.ts';

/** A text of the host in which backticks mark code, such as the description of a setting. */
export function CodeText({ children }: { readonly children: string }) {
  const parts = visibleText(children).split(/`([^`]+)`/);
  return (
    <bdi dir="auto">
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          // oxlint-disable-next-line react/no-array-index-key -- the parts of one text
          <code key={index} className="font-mono text-[0.95em]">
            {part}
          </code>
        ) : (
          part
        ),
      )}
    </bdi>
  );
}
