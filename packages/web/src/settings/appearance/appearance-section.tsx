import { Minus, Plus } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { enterSetting } from '../../composer/enter-setting.ts';
import { useSetting } from '../../live/setting.ts';
import { FONT_SIZES, fontSizeSetting, screenReaderSetting } from '../../terminal/terminal-settings.ts';
import { settingsText } from '../../text/settings-text.ts';
import { language } from '../../text/text.ts';
import { type PageSize, pageSizeSetting } from '../../theme/font-size.ts';
import { contrastSetting, themeSetting } from '../../theme/theme.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { Switch } from '../../ui/field.tsx';
import { FRAME, Panel, SettingRow } from '../panel.tsx';
import { Choice } from './choice.tsx';
import { NameRow } from './name-row.tsx';

const words = settingsText;

/** How the page looks and behaves in this browser. */
export function AppearanceSection() {
  const [theme, setTheme] = useSetting(themeSetting);
  const [contrast, setContrast] = useSetting(contrastSetting);
  const [size, setSize] = useSetting(pageSizeSetting);
  const [enter, setEnter] = useSetting(enterSetting);
  return (
    <>
      <p className="text-sm text-muted">{words.appearanceExplain}</p>
      <Panel title={words.colours}>
        <div className={classes(FRAME, 'divide-y divide-line')}>
          <SettingRow label={words.theme}>
            <Choice
              label={words.theme}
              value={theme}
              onChange={setTheme}
              options={[
                ['system', words.asDevice],
                ['light', words.light],
                ['dark', words.dark],
              ]}
            />
          </SettingRow>
          <SettingRow label={words.contrast} description={words.contrastExplain}>
            <Choice
              label={words.contrast}
              value={contrast}
              onChange={setContrast}
              options={[
                ['system', words.asDevice],
                ['more', words.high],
              ]}
            />
          </SettingRow>
          <MotionRow />
        </div>
      </Panel>
      <Panel title={words.reading}>
        <div className={classes(FRAME, 'divide-y divide-line')}>
          <SettingRow label={words.pageSize}>
            <Choice<PageSize>
              label={words.pageSize}
              value={size}
              onChange={setSize}
              options={[
                ['small', words.pageSizes.small],
                ['normal', words.pageSizes.normal],
                ['large', words.pageSizes.large],
                ['huge', words.pageSizes.huge],
              ]}
            />
          </SettingRow>
          <TerminalRows />
          <SettingRow label={words.language} description={words.languageExplain}>
            <span className="text-sm">{languageName()}</span>
          </SettingRow>
        </div>
      </Panel>
      <Panel title={words.writing}>
        <div className={classes(FRAME, 'divide-y divide-line')}>
          <NameRow />
          <SettingRow label={words.enter} description={words.enterExplain[enter]}>
            <Choice
              label={words.enter}
              value={enter}
              onChange={setEnter}
              options={[
                ['device', words.asDevice],
                ['sends', words.enterSends],
                ['breaks', words.enterBreaks],
              ]}
            />
          </SettingRow>
        </div>
      </Panel>
    </>
  );
}

const languageName = (): string =>
  new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;

const motionQuery = matchMedia('(prefers-reduced-motion: reduce)');

const followMotion = (listener: () => void): (() => void) => {
  motionQuery.addEventListener('change', listener);
  return () => motionQuery.removeEventListener('change', listener);
};

function MotionRow() {
  const isReduced = useSyncExternalStore(followMotion, () => motionQuery.matches);
  return (
    <SettingRow label={words.motion} description={words.motionExplain}>
      <span className="text-sm">{isReduced ? words.motionReduced : words.motionFull}</span>
    </SettingRow>
  );
}

function TerminalRows() {
  const [size, setSize] = useSetting(fontSizeSetting);
  const [hasReader, setReader] = useSetting(screenReaderSetting);
  return (
    <>
      <SettingRow label={words.terminalSize}>
        <div className="flex items-center gap-1">
          <IconButton
            label={words.smaller}
            disabled={size <= FONT_SIZES.least}
            onClick={() => setSize(size - 1)}
          >
            <Minus className="size-4" aria-hidden />
          </IconButton>
          <output aria-label={words.terminalSize} className="w-14 text-center text-sm tabular-nums">
            {words.pixels(size)}
          </output>
          <IconButton
            label={words.larger}
            disabled={size >= FONT_SIZES.largest}
            onClick={() => setSize(size + 1)}
          >
            <Plus className="size-4" aria-hidden />
          </IconButton>
        </div>
      </SettingRow>
      <SettingRow label={words.screenReader} description={words.screenReaderExplain}>
        <Switch aria-label={words.screenReader} isOn={hasReader} onChange={setReader} />
      </SettingRow>
    </>
  );
}
