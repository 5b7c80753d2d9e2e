import { PAGE_VERSION } from '../../app/page-version.ts';
import { hostUrl } from '../../app/paths.ts';
import { type InstallState, install, useInstallState } from '../../attention/install-prompt.ts';
import { isIosDevice } from '../../attention/push/push-support.ts';
import type { HostLink } from '../../live/host-link.ts';
import { useLinkStatus } from '../../live/use-hosts.ts';
import { text } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { Facts, FRAME, Panel, SettingRow } from '../panel.tsx';

/** Versions, licences, and how to install the page as an app. */
export function AboutSection({ link }: { readonly link: HostLink }) {
  useLinkStatus(link);
  const host = link.client?.host;
  const { name, version } = host?.serverInfo ?? {};
  return (
    <>
      <p className="text-sm text-muted">{text.settings.aboutExplain}</p>
      <Panel title={text.settings.versions}>
        <Facts
          rows={[
            [text.settings.page, PAGE_VERSION],
            [
              text.settings.host,
              name === undefined ? undefined : (
                <SafeText key="host">{version === undefined ? name : `${name} ${version}`}</SafeText>
              ),
            ],
            [
              text.settings.protocol,
              host === undefined ? undefined : <SafeText key="protocol">{host.protocolVersion}</SafeText>,
            ],
            [
              text.settings.licences,
              <a
                key="licences"
                href={hostUrl('licences.txt').href}
                target="_blank"
                rel="noopener noreferrer"
                className="text-accent hover:underline"
              >
                {text.settings.licencesLink}
              </a>,
            ],
          ]}
        />
      </Panel>
      <InstallPanel />
    </>
  );
}

function InstallPanel() {
  const state = useInstallState();
  return (
    <Panel title={text.settings.install}>
      <div className={FRAME}>
        <SettingRow label={text.settings.installLabel} description={explanationOf(state)}>
          {state === 'offered' && (
            <Button size="small" look="primary" onClick={() => void install()}>
              {text.settings.installNow}
            </Button>
          )}
        </SettingRow>
      </div>
    </Panel>
  );
}

function explanationOf(state: InstallState): string {
  if (state === 'installed') return text.settings.installed;
  if (state === 'offered') return text.settings.installOffered;
  if (!window.isSecureContext) return text.settings.installInsecure;
  return isIosDevice(navigator.userAgent, navigator.maxTouchPoints)
    ? text.settings.installIos
    : text.settings.installByMenu;
}
