import type { Locator, Page } from 'playwright-core';

/** A window of VS Code, as a person uses it. */
export class EditorWindow {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The chat with its input. */
  get chat(): Locator {
    return this.page.locator('.interactive-session').first();
  }

  /** Opens an address and waits for the chat. */
  async open(url: string): Promise<void> {
    await this.page.setViewportSize({ width: 1280, height: 860 });
    await this.page.goto(url);
    await this.chat.waitFor();
    await this.page.locator('.chat-session-target-picker, .chat-input-picker-item').first().waitFor();
  }

  /** Chooses an agent of the host by its name. It is offered once the host is connected. */
  async choose(agent: string): Promise<void> {
    const choice = this.page.locator('.action-widget').getByText(agent, { exact: true });
    for (;;) {
      await this.page.getByText('Local', { exact: true }).first().click();
      await this.page.locator('.action-widget').getByText('Local', { exact: true }).waitFor();
      if (await choice.isVisible()) break;
      await this.page.keyboard.press('Escape');
      await this.page.waitForTimeout(500);
    }
    await choice.click();
    await this.page.getByText(`Chat with ${agent}`).waitFor();
  }

  /** Writes into the chat's input and presses a key. */
  async send(text: string, key = 'Enter'): Promise<void> {
    await this.page.locator('.interactive-input-editor .monaco-editor').first().click();
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.type(text);
    await this.page.keyboard.press(key);
  }

  /** Opens a file of the folder and attaches it to the next message. */
  async attach(name: string): Promise<void> {
    await this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).dblclick();
    await this.page.locator('.tab', { hasText: name }).waitFor();
    await this.chat.locator('.chat-attached-context-attachment', { hasText: name }).first().click();
    // Under the pointer, VS Code shows the path in a box that covers the input.
    await this.page.mouse.move(0, 0);
  }

  /** Runs a command of the palette by its full title. */
  async run(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    const input = this.page.locator('.quick-input-widget input').first();
    await input.fill(`>${title}`);
    await this.page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** Resolves when the chat shows a text. */
  async shows(text: string | RegExp): Promise<void> {
    await this.chat.getByText(text).filter({ visible: true }).last().waitFor();
  }

  /** Opens a terminal of the host. VS Code does not show its panel. */
  async openTerminal(): Promise<void> {
    const profile = this.page.locator('.quick-input-list .monaco-list-row', {
      hasText: 'Agent Host (Local)',
    });
    for (;;) {
      await this.run('Terminal: Create New Terminal (With Profile)');
      await this.page.getByPlaceholder('Select the terminal profile to create').waitFor();
      // The list does not grow while it is shown, and is empty until VS Code has looked for shells.
      await this.page.waitForTimeout(500);
      if (await profile.isVisible()) break;
      await this.page.keyboard.press('Escape');
      await this.page.waitForTimeout(500);
    }
    await profile.click();
  }

  /** Shows the terminal that was opened last, with a text. */
  async showTerminal(text: RegExp): Promise<void> {
    await this.run('Terminal: Focus Terminal');
    await this.page.locator('.terminal-wrapper .xterm-rows', { hasText: text }).waitFor();
  }

  /** Opens a session of the list. */
  async openSession(title: string): Promise<void> {
    const entry = this.page.locator('.agent-session-title', { hasText: title }).filter({ visible: true });
    // The command does nothing until a new window has its list. The timeout of the stage ends the attempts.
    do {
      await this.run('Chat: Focus Agent Sessions');
      for (let waits = 0; waits < 10 && !(await entry.first().isVisible()); waits += 1)
        await this.page.waitForTimeout(500);
    } while (!(await entry.first().isVisible()));
    await entry.first().click();
  }

  /** A button of the chat by its label. */
  button(label: string): Locator {
    return this.chat.locator('.monaco-button:visible', { hasText: new RegExp(`^${label}$`) }).last();
  }
}
