import { ExternalLink } from 'lucide-react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';

/** A page that an agent asks to open: the whole address, and a button. Addresses that are not of the web are shown only. */
export function UrlToOpen({ url }: { readonly url: string }) {
  const isWeb = /^https?:\/\//i.test(url);
  return (
    <div className="flex flex-col gap-2">
      <code
        dir="ltr"
        className="rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-[0.8125rem] wrap-anywhere"
      >
        {visibleText(url)}
      </code>
      {isWeb ? (
        <Button className="self-start" onClick={() => window.open(url, '_blank', 'noopener,noreferrer')}>
          <ExternalLink className="size-4" aria-hidden />
          {text.questions.openPage}
        </Button>
      ) : (
        <p className="text-xs text-muted">{text.questions.notWeb}</p>
      )}
    </div>
  );
}
