import type { Api } from '@shopify/ui-extensions/pos.customer-details.action.render';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import type { Contact, Reward } from '../../../program/answers.ts';
import { answered } from '../../../program/program.ts';
import { asksFirst, conditionsOf, redeemLabel, sayState } from '../../../program/sentences.ts';
import { fill } from '../../../program/words.ts';
import { hasCode, type Step } from './till.ts';
import { type TillView, useTill } from './use-till.ts';

export default () => render(<Modal />, document.body);

function Modal() {
  const view = useTill();
  const { till, words, strings, isOffline } = view;
  const { model } = till.program;
  const known = answered(model.view);
  const isBusy = till.step.kind !== 'choosing';
  return (
    <s-page heading={strings.heading} subheading={known && standingOf(view, known)}>
      <s-scroll-box>
        <s-stack direction="block" gap="large">
          {isOffline && <s-banner heading={strings.offline} tone="warning" />}
          <CartNotice {...view} />
          {isBusy && <StepPanel {...view} />}
          {!isBusy && known && <Codes {...view} />}
          {!isBusy && known && <Rewards {...view} />}
          {!known && model.view?.kind !== 'failed' && <s-text>{words.strings.loading}</s-text>}
          {!known && model.view?.kind === 'failed' && (
            <s-banner heading={words.failure(model.view)} tone="critical">
              <s-button slot="primary-action" onClick={() => void till.program.load()}>
                {words.strings.tryAgain}
              </s-button>
            </s-banner>
          )}
        </s-stack>
      </s-scroll-box>
    </s-page>
  );
}

function CartNotice({ till, strings }: TillView) {
  const problem = till.problem();
  if (problem === undefined) return null;
  const { cart, customer } = shopify as Pick<Api, 'cart' | 'customer'>;
  const canSet = problem === 'no-customer' || problem === 'other-customer';
  return (
    <s-banner heading={strings.cart[problem]} tone="warning">
      {canSet && (
        <s-button slot="primary-action" onClick={() => void cart.setCustomer({ id: customer.id })}>
          {strings.useCustomer}
        </s-button>
      )}
    </s-banner>
  );
}

/** Those that can be used now: redeemed at this till a moment ago, or by the customer at home. */
function Codes({ till, words, strings, cart }: TillView) {
  const codes = (answered(till.program.model.view)?.redemptions ?? []).flatMap((one) =>
    one.state === 'ready' && one.code !== null ? [{ ...one, code: one.code }] : [],
  );
  if (codes.length === 0) return null;
  return (
    <s-section heading={strings.codes}>
      <s-stack direction="block" gap="base">
        {codes.map((redemption) => {
          const { id, title, code, takeBackUntil } = redemption;
          return (
            <Row key={id} title={title} detail={code}>
              {hasCode(cart, code) ? (
                <s-badge tone="success">{strings.inCart}</s-badge>
              ) : (
                <s-button
                  disabled={till.problem() !== undefined}
                  onClick={() => void till.give(code)}
                >
                  {strings.apply}
                </s-button>
              )}
              {takeBackUntil !== null && (
                <s-button onClick={() => till.askTakeBack(redemption)}>
                  {words.strings.codes.takeBack}
                </s-button>
              )}
            </Row>
          );
        })}
      </s-stack>
    </s-section>
  );
}

function Rewards(view: TillView) {
  const { till, words } = view;
  const rewards = answered(till.program.model.view)?.rewards;
  if (!rewards) return <s-banner heading={words.why('unavailable')} tone="warning" />;
  return (
    <s-section heading={words.strings.rewards.heading}>
      <s-stack direction="block" gap="base">
        {rewards.length === 0 && <s-text>{words.strings.rewards.none}</s-text>}
        {[...rewards].sort(byUse).map((reward) => (
          <RewardRow key={reward.id} reward={reward} {...view} />
        ))}
      </s-stack>
    </s-section>
  );
}

/** What the customer can have now comes first. */
const byUse = (one: Reward, other: Reward) => Number(other.redeemable) - Number(one.redeemable);

function RewardRow({ reward, till, words, isOffline }: TillView & { readonly reward: Reward }) {
  const { cashback, redeemable } = reward;
  const { rewards } = words.strings;
  const [amount, setAmount] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const view = answered(till.program.model.view);
  const shown = amount ?? (cashback ? words.typed(cashback.most) : '');
  const value = cashback ? Number(shown.replace(',', '.')) : undefined;
  const isAllowed =
    !cashback || (value !== undefined && value >= cashback.least && value <= cashback.most);
  const limits = cashback && {
    least: words.money(cashback.least),
    most: words.money(cashback.most),
  };
  return (
    <Row
      title={reward.title}
      detail={
        isAsking
          ? rewards.question
          : till.problem() === 'empty-cart' && reward.points
            ? words.points(reward.points)
            : (redeemable && words.worth(reward)) || conditionsOf(reward, words)
      }
    >
      {redeemable && limits && !isAsking && (
        <s-number-field
          label={fill(rewards.amount, limits)}
          value={shown}
          inputMode="decimal"
          error={isAllowed ? '' : words.why('value-not-allowed')}
          onInput={({ currentTarget }) => setAmount(currentTarget.value)}
        />
      )}
      {redeemable && (
        <s-button
          disabled={!isAllowed || isOffline || till.problem() !== undefined}
          onClick={() => {
            const asks = !isAsking && asksFirst(reward, view, value);
            setAsking(asks);
            if (!asks) void till.redeem(reward, value);
          }}
        >
          {redeemLabel(reward, view, words, value || undefined)}
        </s-button>
      )}
      {isAsking && <s-button onClick={() => setAsking(false)}>{words.strings.codes.no}</s-button>}
    </Row>
  );
}

interface RowProps {
  readonly title: string;
  readonly detail: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as in Shopify's own types of children
  readonly children?: any;
}

function Row({ title, detail, children }: RowProps) {
  return (
    <s-stack direction="inline" gap="base" alignItems="center" justifyContent="space-between">
      <s-stack direction="block" gap="small-400">
        <s-text type="strong">{title}</s-text>
        {detail && <s-text color="subdued">{detail}</s-text>}
      </s-stack>
      <s-stack direction="inline" gap="base" alignItems="end">
        {children}
      </s-stack>
    </s-stack>
  );
}

function standingOf(
  { words, strings }: TillView,
  { points, tier }: { points: number | null; tier: { name: string } | null },
): string {
  const standing = points === null ? strings.noPoints : words.points(points);
  return tier ? `${standing} · ${tier.name}` : standing;
}

function StepPanel(view: TillView) {
  const { till, words, strings, cart } = view;
  const { step } = till;
  switch (step.kind) {
    case 'choosing':
      return null;
    case 'redeeming':
      return <s-text>{words.strings.rewards.redeeming}</s-text>;
    case 'contact':
      return <AskForContact {...view} step={step} />;
    case 'challenge':
      return <Challenge {...view} />;
    case 'returning': {
      const { redemption } = step;
      const { yes, no, confirm } = words.strings.codes;
      return (
        <s-section heading={confirm}>
          <s-stack direction="block" gap="base">
            <s-text>{`${redemption.title} · ${redemption.code}`}</s-text>
            <s-stack direction="inline" gap="base">
              <s-button variant="primary" onClick={() => void till.takeBack(redemption)}>
                {yes}
              </s-button>
              <s-button onClick={() => till.leave()}>{no}</s-button>
            </s-stack>
          </s-stack>
        </s-section>
      );
    }
    case 'waiting':
      return (
        <s-banner heading={sayState(step.redemption, words)} tone="info">
          <Back {...view} />
        </s-banner>
      );
    case 'given': {
      const { code } = step;
      const sentence = hasCode(cart, code) ? strings.given : strings.handedOver;
      return (
        <s-banner heading={fill(sentence, { code })} tone="success">
          <s-button slot="primary-action" onClick={() => window.close()}>
            {strings.close}
          </s-button>
        </s-banner>
      );
    }
    case 'kept': {
      const { code, why } = step;
      return (
        <s-banner heading={strings.cart[why]} tone="critical">
          <s-text>{fill(strings.kept, { code })}</s-text>
          <Back {...view} />
        </s-banner>
      );
    }
    case 'failed':
      return (
        <s-banner heading={words.failure(step.failure)} tone="critical">
          {step.failure.programMessage && <s-text>{step.failure.programMessage}</s-text>}
          {step.mayHaveHappened ? (
            <>
              <s-text>{strings.mayHaveHappened}</s-text>
              <s-button slot="primary-action" onClick={() => void till.send()}>
                {words.strings.tryAgain}
              </s-button>
            </>
          ) : (
            <Back {...view} />
          )}
        </s-banner>
      );
  }
}

function Back({ till, strings }: TillView) {
  return (
    <s-button slot="primary-action" onClick={() => till.leave()}>
      {strings.back}
    </s-button>
  );
}

function AskForContact({
  till,
  strings,
  step: { asks, says, isMalformed },
}: TillView & { readonly step: Extract<Step, { kind: 'contact' }> }) {
  const { contact, back } = strings;
  const [typed, setTyped] = useState<Readonly<Partial<Record<Contact, string>>>>({});
  const given = Object.fromEntries(
    asks.flatMap((one) => (typed[one]?.trim() ? [[one, typed[one].trim()]] : [])),
  );
  return (
    <s-section heading={contact.heading}>
      <s-stack direction="block" gap="base">
        <s-text>{contact.ask}</s-text>
        {says && <s-text>{says}</s-text>}
        {asks.map((one) => (
          <s-text-field
            key={one}
            label={contact.labels[one]}
            value={typed[one] ?? ''}
            error={isMalformed ? contact.malformed : ''}
            onInput={({ currentTarget }) =>
              setTyped({ ...typed, [one]: currentTarget.value ?? '' })
            }
          />
        ))}
        <s-stack direction="inline" gap="base">
          <s-button
            variant="primary"
            disabled={Object.keys(given).length === 0}
            onClick={() => void till.startChallenge(given)}
          >
            {contact.send}
          </s-button>
          <s-button onClick={() => till.leave()}>{back}</s-button>
        </s-stack>
      </s-stack>
    </s-section>
  );
}

function Challenge({ till, words, strings }: TillView) {
  const { challenge, back } = strings;
  const [answer, setAnswer] = useState('');
  const problem = till.step.kind === 'challenge' ? till.step.problem : undefined;
  return (
    <s-section heading={challenge.heading}>
      <s-stack direction="block" gap="base">
        <s-text>{challenge.ask}</s-text>
        <s-text-field
          label={challenge.label}
          value={answer}
          error={problem ? (problem.programMessage ?? words.failure(problem)) : ''}
          onInput={({ currentTarget }) => setAnswer(currentTarget.value ?? '')}
        />
        <s-stack direction="inline" gap="base">
          <s-button
            variant="primary"
            disabled={answer.trim() === ''}
            onClick={() => void till.answerChallenge(answer)}
          >
            {challenge.confirm}
          </s-button>
          <s-button onClick={() => void till.sendAgain()}>{challenge.again}</s-button>
          <s-button onClick={() => till.leave()}>{back}</s-button>
        </s-stack>
      </s-stack>
    </s-section>
  );
}
