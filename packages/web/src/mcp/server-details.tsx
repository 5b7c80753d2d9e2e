import type { McpServerInfo } from '@agenthost/protocol';
import { mcpText } from '../text/mcp-text.ts';
import { SafeText } from '../ui/safe-text.tsx';

const SUMMARY = 'cursor-pointer py-1 text-sm text-muted touch:py-3';

/** The tools and the log of an MCP server. */
export function ServerDetails({ name, tools, log }: Pick<McpServerInfo, 'name' | 'tools' | 'log'>) {
  return (
    <>
      {tools.length > 0 && (
        <details>
          <summary className={SUMMARY} aria-label={mcpText.act(mcpText.tools(tools.length), name)}>
            {mcpText.tools(tools.length)}
          </summary>
          <ul className="flex flex-col gap-1.5 py-1">
            {tools.map((tool) => (
              <li key={tool.name} className="text-sm">
                <span className="font-mono text-xs break-all">
                  <SafeText>{tool.name}</SafeText>
                </span>
                {tool.readOnly && <span className="ms-2 text-xs text-muted">{mcpText.reads}</span>}
                {tool.description !== undefined && (
                  <p className="line-clamp-3 text-muted">
                    <SafeText>{tool.description}</SafeText>
                  </p>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
      <details>
        <summary className={SUMMARY} aria-label={mcpText.act(mcpText.log, name)}>
          {mcpText.log}
        </summary>
        {log.length === 0 ? (
          <p className="text-sm text-muted">{mcpText.noLog}</p>
        ) : (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolled region must be reachable by the keyboard
          <pre
            tabIndex={0}
            aria-label={mcpText.act(mcpText.log, name)}
            className="max-h-60 overflow-auto rounded-lg border border-line p-2 font-mono text-xs whitespace-pre-wrap"
          >
            <SafeText>{log.map(({ level, text }) => `${level}: ${text}`).join('\n')}</SafeText>
          </pre>
        )}
      </details>
    </>
  );
}
