import type { ProtectedResourceMetadata } from '@agenthost/protocol';
import { useState } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { oauthText } from '../text/oauth-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { showToast } from '../ui/toasts.tsx';
import { OAuthSignIn } from './oauth-sign-in.tsx';

/** The name of a resource for people. Default: its identifier. */
export const nameOfResource = ({ resource, resource_name: name }: ProtectedResourceMetadata): string =>
  name === undefined || name === '' ? resource : name;

/** A button that opens the sign-in to a resource. */
export function SignInButton({
  link,
  resource: metadata,
  onDone,
}: {
  readonly link: HostLink;
  readonly resource: ProtectedResourceMetadata;
  readonly onDone?: (() => void) | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  const { resource } = metadata;
  const name = nameOfResource(metadata);
  const finish = (): void => {
    setOpen(false);
    showToast({ message: oauthText.done(visibleText(name)) });
    onDone?.();
  };
  return (
    <>
      <Button
        size="small"
        look="primary"
        aria-label={oauthText.signInTo(visibleText(name))}
        onClick={() => setOpen(true)}
      >
        {oauthText.open}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={oauthText.signInTo(name)}
        {...(name === resource ? {} : { description: resource })}
      >
        <OAuthSignIn link={link} request={{ resource }} name={name} onDone={finish} />
      </Dialog>
    </>
  );
}
