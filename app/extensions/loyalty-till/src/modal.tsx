import type { Api } from '@shopify/ui-extensions/pos.customer-details.action.render';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import type { Reward } from '../../../program/answers.ts';
import { answered } from '../../../program/program.ts';
import { conditionsOf, redeemLabel } from '../../../program/sentences.ts';
import { fill } from '../../../program/words.ts';
import { hasCode } from './cart.ts';
import { StepPanel } from './step-panel.tsx';
import { type TillView, useTill } from './use-till.ts';

export default () => render(<Modal />, document.body);

/** The customer's codes and rewards for the cart as it is. */
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
function Codes({ till, strings, cart }: TillView) {
  const codes = (answered(till.program.model.view)?.redemptions ?? []).flatMap((one) =>
    one.state === 'ready' && one.code !== null ? [{ ...one, code: one.code }] : [],
  );
  if (codes.length === 0) return null;
  return (
    <s-section heading={strings.codes}>
      <s-stack direction="block" gap="base">
        {codes.map(({ id, title, code }) => (
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
          </Row>
        ))}
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
  const shown = amount ?? String(cashback?.most ?? '');
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
      detail={redeemable ? words.worth(reward) : conditionsOf(reward, words)}
    >
      {redeemable && limits && (
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
          onClick={() => void till.redeem(reward, value)}
        >
          {redeemLabel(reward, words)}
        </s-button>
      )}
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
