import { visibleText } from '../text/visible-text.ts';

/**
 * Text from agents and files on one line or in a label: control and direction characters show as symbols, and the text cannot change the
 * direction of its surroundings.
 */
export function SafeText({
  children,
  className,
}: {
  readonly children: string;
  readonly className?: string;
}) {
  return (
    <bdi className={className} dir="auto">
      {visibleText(children)}
    </bdi>
  );
}
