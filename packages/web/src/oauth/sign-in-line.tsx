import { LogIn, X } from 'lucide-react';
import { oauthText } from '../text/oauth-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { IconButton } from '../ui/button.tsx';
import { nameOfResource, SignInButton } from './sign-in-button.tsx';
import { dropSignIn, type WantedSignIn } from './wanted-sign-ins.ts';

/** A sign-in that the host waits for, with the way to it. After `expired` the old token is of no use [AUTH-21]. */
export function SignInLine({ wanted }: { readonly wanted: WantedSignIn }) {
  const { link, resource, reason } = wanted;
  const name = visibleText(nameOfResource(resource));
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-warn-soft px-4 py-1.5 text-sm"
    >
      <LogIn className="size-4 shrink-0 text-warn" aria-hidden />
      <p className="min-w-0 flex-1 basis-36 break-words">
        {reason === 'expired' ? oauthText.expired(name) : oauthText.wanted(name)}
      </p>
      <div className="flex items-center gap-2">
        <SignInButton link={link} resource={resource} />
        <IconButton size="small" label={oauthText.notNow} onClick={() => dropSignIn(link, resource.resource)}>
          <X className="size-4" aria-hidden />
        </IconButton>
      </div>
    </div>
  );
}
