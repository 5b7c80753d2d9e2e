import type { ToolCallRiskAssessment } from '@agenthost/protocol';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { text } from '../text/text.ts';
import { classes } from '../ui/class-names.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { Spinner } from '../ui/states.tsx';
import { plainText } from './plain-text.ts';

/** From this safety on a call counts as safe, and below the other as dangerous. */
const SAFE = 0.7;
const DANGEROUS = 0.35;

/** A model's assessment of the risk of a tool call. */
export function Risk({ assessment }: { readonly assessment: ToolCallRiskAssessment }) {
  if (assessment.status === 'loading') {
    return (
      <p className="flex items-center gap-2 text-xs text-muted">
        <Spinner label={text.questions.assessing} className="size-3.5" />
        <span aria-hidden>{text.questions.assessing}</span>
      </p>
    );
  }
  const { safety, reason } = assessment;
  const isSafe = safety >= SAFE;
  const isDangerous = safety < DANGEROUS;
  const Icon = isSafe ? ShieldCheck : ShieldAlert;
  return (
    <p
      className={classes(
        'flex items-start gap-2 rounded-lg px-2.5 py-1.5 text-xs',
        isSafe && 'bg-ok-soft text-ok',
        isDangerous && 'bg-danger-soft text-danger',
        !isSafe && !isDangerous && 'bg-warn-soft text-warn',
      )}
    >
      <Icon className="mt-px size-3.5 shrink-0" aria-hidden />
      <span className="min-w-0">
        <strong className="font-medium">
          {isSafe
            ? text.questions.riskLow
            : isDangerous
              ? text.questions.riskHigh
              : text.questions.riskMedium}
        </strong>{' '}
        <SafeText>{plainText(reason)}</SafeText>
      </span>
    </p>
  );
}
