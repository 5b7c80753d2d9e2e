import { LogIn } from 'lucide-react';
import { hostUrl } from '../app/paths.ts';
import { providerText } from '../text/provider-text.ts';
import { visibleText } from '../text/visible-text.ts';

/** A link to the sign-in of an OpenID Connect provider. */
export function ProviderButton({ name }: { readonly name: string }) {
  return (
    <div className="mt-1 mb-1 flex flex-col gap-3 text-text">
      <a
        href={hostUrl('sign-in/oidc').href}
        className="inline-flex h-11 items-center justify-center gap-2 rounded-lg bg-accent px-3.5 text-sm font-medium text-on-accent transition-colors hover:opacity-90"
      >
        <LogIn className="size-4" aria-hidden />
        {providerText.signInWith(visibleText(name))}
      </a>
      <p className="text-center text-sm text-muted">{providerText.orToken}</p>
    </div>
  );
}
