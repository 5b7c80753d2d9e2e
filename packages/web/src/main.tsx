import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { pageNonce } from './app/nonce.ts';
import { PageLife } from './app/page-life.ts';
import { preloadView } from './app/preload-view.ts';
import { registerWorker } from './app/register-worker.ts';
import { reloadForUpdate } from './app/reload-for-update.ts';
import { installTrustedTypes } from './app/trusted-types.ts';
import { keepInstallOffer } from './attention/install-prompt.ts';
import { startFontSize } from './theme/font-size.ts';
import { startTheme } from './theme/theme.ts';
import './theme/theme.css';

installTrustedTypes();
preloadView();
reloadForUpdate();
setNonce(pageNonce());
startTheme();
startFontSize();
keepInstallOffer();

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id root');
const life = await PageLife.begin();
createRoot(root).render(
  <StrictMode>
    <App life={life} />
  </StrictMode>,
);

void registerWorker();
