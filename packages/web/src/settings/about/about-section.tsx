import { PAGE_VERSION } from '../../app/page-version.ts';
import { hostUrl } from '../../app/paths.ts';
import { type InstallState, install, useInstallState } from '../../attention/install-prompt.ts';
import { isIosDevice } from '../../attention/push/push-support.ts';
import type { HostLink } from '../../live/host-link.ts';
import { useLinkStatus } from '../../live/use-hosts.ts';
import { settingsText } from '../../text/settings-text.ts';
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
      <p className="text-sm text-muted">{settingsText.aboutExplain}</p>
      <Panel title={settingsText.versions}>
        <Facts
          rows={[
            [settingsText.page, PAGE_VERSION],
            [
              settingsText.host,
              name === undefined ? undefined : (
                <SafeText key="host">{version === undefined ? name : `${name} ${version}`}</SafeText>
              ),
            ],
            [
              settingsText.protocol,
              host === undefined ? undefined : <SafeText key="protocol">{host.protocolVersion}</SafeText>,
            ],
            [
              settingsText.licences,
              <a
                key="licences"
                href={hostUrl('licences.txt').href}
                target="_blank"
                rel="noopener noreferrer"
                className="text-accent hover:underline"
              >
                {settingsText.licencesLink}
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
    <Panel title={settingsText.install}>
      <div className={FRAME}>
        <SettingRow label={settingsText.installLabel} description={explanationOf(state)}>
          {state === 'offered' && (
            <Button size="small" look="primary" onClick={() => void install()}>
              {settingsText.installNow}
            </Button>
          )}
        </SettingRow>
      </div>
    </Panel>
  );
}

function explanationOf(state: InstallState): string {
  if (state === 'installed') return settingsText.installed;
  if (state === 'offered') return settingsText.installOffered;
  if (!window.isSecureContext) return settingsText.installInsecure;
  return isIosDevice(navigator.userAgent, navigator.maxTouchPoints)
    ? settingsText.installIos
    : settingsText.installByMenu;
}
