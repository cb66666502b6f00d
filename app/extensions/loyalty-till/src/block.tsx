import type { Api } from '@shopify/ui-extensions/pos.customer-details.block.render';
import { render } from 'preact';
import { answered } from '../../../program/program.ts';
import { useTill } from './use-till.ts';

export default () => render(<Block />, document.body);

/** Beside the customer's details: points, tier, and how many rewards this cart can have. */
function Block() {
  const { till, words, strings, isOffline } = useTill();
  const { heading, open, noPoints, offline } = strings;
  const { action } = shopify as Pick<Api, 'action'>;
  const view = till.program.model.view;
  const known = answered(view);
  const count = known?.rewards?.filter(({ redeemable }) => redeemable).length ?? 0;
  return (
    <s-pos-block heading={heading}>
      <s-button slot="secondary-actions" onClick={() => action.presentModal()}>
        {count > 0 ? `${open} (${words.number(count)})` : open}
      </s-button>
      <s-stack direction="block" gap="small">
        {known ? (
          <>
            <s-stack direction="inline" gap="base" alignItems="center">
              <s-heading>{known.points ? words.points(known.points) : noPoints}</s-heading>
              {known.tier && <s-badge tone="info">{known.tier.name}</s-badge>}
            </s-stack>
            {count === 0 && (
              <s-text color="subdued">
                {known.rewards ? strings.noneRedeemable : words.why('unavailable')}
              </s-text>
            )}
          </>
        ) : (
          <s-text color="subdued">
            {isOffline
              ? offline
              : view?.kind === 'failed'
                ? words.failure(view)
                : words.strings.loading}
          </s-text>
        )}
      </s-stack>
    </s-pos-block>
  );
}
