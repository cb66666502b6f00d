import type { Redemption } from '../../../program/answers.ts';
import { fill } from '../../../program/words.ts';
import type { Account } from './account.ts';

interface Props {
  readonly account: Account;
  readonly redemptions: readonly Redemption[];
}

/** The redemptions: their codes, and a sentence for those without a code yet. */
export function Codes({ account, redemptions }: Props) {
  if (redemptions.length === 0) return null;
  return (
    <s-section heading={account.words.strings.codes.heading}>
      <s-stack gap="base" accessibilityRole="unordered-list">
        {redemptions.map((redemption) => (
          <Code key={redemption.id} account={account} redemption={redemption} />
        ))}
      </s-stack>
    </s-section>
  );
}

interface CodeProps {
  readonly account: Account;
  readonly redemption: Redemption;
}

function Code({ account, redemption }: CodeProps) {
  const { words } = account;
  const { codes } = words.strings;
  const { id, title, state, code, validUntil } = redemption;
  const isUsable = state === 'ready' && code !== null;
  const until =
    isUsable && validUntil !== null && fill(codes.validUntil, { date: words.date(validUntil) });
  const clipboard = `code-${id}`;
  return (
    <s-stack accessibilityRole="list-item" gap="small-300" alignItems="start">
      <s-heading>{title}</s-heading>
      {code !== null && (
        <s-stack direction="inline" gap="base" alignItems="center">
          <s-badge color={isUsable ? 'base' : 'subdued'}>{code}</s-badge>
          {isUsable && (
            <s-button
              variant="secondary"
              accessibilityLabel={`${codes.copy}: ${code}`}
              command="--copy"
              commandFor={clipboard}
            >
              {codes.copy}
            </s-button>
          )}
        </s-stack>
      )}
      {isUsable && (
        <s-clipboard-item
          id={clipboard}
          text={code}
          onCopy={() => account.say(codes.copied)}
          onCopyError={() => account.say(account.strings.notCopied)}
        />
      )}
      <s-text color="subdued">{[words.state(state), until].filter(Boolean).join(' ')}</s-text>
    </s-stack>
  );
}
