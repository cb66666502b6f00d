import { useSignal } from '@preact/signals';
import type { Reward } from '../../../program/answers.ts';
import { conditionsOf, redeemLabel } from '../../../program/sentences.ts';
import { fill } from '../../../program/words.ts';
import type { Account } from './account.ts';
import { Code, TWO_COLUMNS, textOf } from './codes.tsx';
import { Note } from './note.tsx';

interface Props {
  readonly account: Account;
  /** Null: the program cannot be reached. */
  readonly rewards: readonly Reward[] | null;
}

/** Every reward with its price and a button, or the reason why it cannot be redeemed. */
export function Rewards({ account, rewards }: Props) {
  const { strings } = account.words;
  if (!rewards) return null;
  return (
    <s-section heading={strings.rewards.heading}>
      {rewards.length === 0 ? (
        <s-paragraph color="subdued">{strings.rewards.none}</s-paragraph>
      ) : (
        <s-grid gridTemplateColumns={TWO_COLUMNS} gap="base" accessibilityRole="unordered-list">
          {rewards.map((reward) => (
            <Offer key={reward.id} account={account} reward={reward} />
          ))}
        </s-grid>
      )}
    </s-section>
  );
}

interface OfferProps {
  readonly account: Account;
  readonly reward: Reward;
}

function Offer({ account, reward }: OfferProps) {
  const { words, notes } = account;
  const { id, title, description, points, kind } = reward;
  const worth = words.worth(reward);
  const codes = account.newRedemptionsOf(reward);
  // Such a reward can be redeemed elsewhere only.
  const isOther = kind === 'other';
  return (
    <s-grid-item accessibilityRole="list-item" border="base" borderRadius="base" padding="base">
      <s-stack gap="small">
        <s-heading>{title}</s-heading>
        {description !== '' && <s-paragraph>{description}</s-paragraph>}
        {worth !== undefined && worth !== title && <s-text color="subdued">{worth}</s-text>}
        {isOther ? (
          <s-text color="subdued">{words.points(points)}</s-text>
        ) : (
          <Redeem account={account} reward={reward} />
        )}
        {codes.map((redemption) => (
          <Code key={redemption.id} account={account} redemption={redemption} />
        ))}
        <Note
          note={notes.get(`reward-${id}`)}
          isShown={codes.length === 0}
          otherwise={noteOf(reward, account)}
        />
      </s-stack>
    </s-grid-item>
  );
}

/** This page has no cart to speak of. */
function noteOf(reward: Reward, { words, strings }: Account): string {
  return reward.why === 'product-conditions' ? strings.inCart : conditionsOf(reward, words);
}

/** The button, and for cashback the field with the amount before it. */
function Redeem({ account, reward }: OfferProps) {
  const { words, program } = account;
  const { rewards, why } = words.strings;
  const { id, title, cashback, redeemable } = reward;
  const typed = useSignal<string | undefined>(undefined);
  const error = useSignal('');
  // Until another one is typed, all that is there.
  const amount = typed.value ?? String(cashback?.most ?? '');
  const isRedeeming = program.model.redeeming === id;
  const label = isRedeeming ? rewards.redeeming : redeemLabel(reward, words);
  const redeem = () => {
    if (!cashback) return void account.redeem(reward);
    const value = Number(amount);
    const isAllowed = value >= cashback.least && value <= cashback.most;
    error.value = isAllowed ? '' : why['value-not-allowed'];
    if (!isAllowed) return;
    typed.value = undefined;
    void account.redeem(reward, value);
  };
  return (
    <>
      {cashback && redeemable && (
        <s-number-field
          label={fill(rewards.amount, {
            least: words.money(cashback.least),
            most: words.money(cashback.most),
          })}
          value={amount}
          error={error.value}
          min={cashback.least}
          max={cashback.most}
          step={0.01}
          inputMode="decimal"
          onInput={(event) => {
            typed.value = textOf(event);
          }}
        />
      )}
      <s-button
        variant="primary"
        accessibilityLabel={`${label}: ${title}`}
        disabled={!redeemable}
        loading={isRedeeming}
        onClick={redeem}
      >
        {label}
      </s-button>
    </>
  );
}
