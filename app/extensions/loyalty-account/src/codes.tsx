import { useSignal } from '@preact/signals';
import type { Redemption } from '../../../program/answers.ts';
import { fill } from '../../../program/words.ts';
import type { Account } from './account.ts';

/** Side by side where there is room. */
export const TWO_COLUMNS = '@container (inline-size > 640px) 1fr 1fr, 1fr';

interface Props {
  readonly account: Account;
  readonly redemptions: readonly Redemption[];
}

/** More would hide the rewards below. */
const SHOWN_AT_FIRST = 4;

const isUsable = ({ state, code }: Redemption): boolean => state === 'ready' && code !== null;

/** The customer's codes from before this visit: those that can be used come first. */
export function Codes({ account, redemptions }: Props) {
  const isOpen = useSignal(false);
  if (redemptions.length === 0) return null;
  const sorted = redemptions.toSorted(
    (one, other) => Number(isUsable(other)) - Number(isUsable(one)),
  );
  const shown = isOpen.value ? sorted : sorted.slice(0, SHOWN_AT_FIRST);
  return (
    <s-section heading={account.words.strings.codes.heading}>
      <s-stack gap="base" alignItems="start">
        <s-grid
          accessibilityRole="unordered-list"
          gridTemplateColumns={TWO_COLUMNS}
          gap="base"
          inlineSize="100%"
        >
          {shown.map((redemption) => (
            <s-grid-item key={redemption.id} accessibilityRole="list-item">
              <s-stack gap="small-300">
                <s-heading>{redemption.title}</s-heading>
                <Code account={account} redemption={redemption} />
              </s-stack>
            </s-grid-item>
          ))}
        </s-grid>
        {shown.length < sorted.length && (
          <s-button
            onClick={() => {
              isOpen.value = true;
            }}
          >
            {account.strings.history.more}
          </s-button>
        )}
      </s-stack>
    </s-section>
  );
}

interface CodeProps {
  readonly account: Account;
  readonly redemption: Redemption;
}

/** The code with a button to copy it, and its state; a sentence where there is no code yet. */
export function Code({ account, redemption }: CodeProps) {
  const { words } = account;
  const { codes } = words.strings;
  const { id, state, code, validUntil } = redemption;
  const isReady = isUsable(redemption);
  const until =
    isReady && validUntil !== null && fill(codes.validUntil, { date: words.date(validUntil) });
  const clipboard = `code-${id}`;
  return (
    <s-stack gap="small-300" alignItems="start">
      {code !== null && (
        <s-stack direction="inline" gap="base" alignItems="center">
          <s-badge color={isReady ? 'base' : 'subdued'}>{code}</s-badge>
          {isReady && (
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
      {isReady && code !== null && (
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

/** Shopify's types leave the target of an event open. */
export const textOf = (event: Event): string =>
  (event.currentTarget as HTMLElementTagNameMap['s-text-field']).value ?? '';

export const choicesOf = (event: Event): readonly string[] =>
  (event.currentTarget as HTMLElementTagNameMap['s-choice-list']).values ?? [];
