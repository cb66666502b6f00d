import type { RedemptionDocument } from '../../../../redemptions/redemptions.ts';
import { about, isOffered } from '../../about.ts';
import { openAction } from '../../action.ts';
import { hrefOf } from '../../router.ts';
import type { Line } from '../../run.ts';
import { agoText, momentText, numberText, words } from '../../words.ts';
import { strings } from './strings.ts';

interface RedemptionsProps {
  readonly redemptions: readonly RedemptionDocument[];
  readonly shop: string;
  readonly onChanged: () => void;
  /** In a list of several customers. */
  readonly withCustomer?: boolean;
}

/** Redeemed rewards with their state, and what a person can do about one. */
export function Redemptions({ redemptions, shop, onChanged, withCustomer }: RedemptionsProps) {
  const texts = words(strings);
  const inShop = about.shops.length > 1 ? { shop } : {};
  if (redemptions.length === 0) return <p class="soft">{texts.noRedemptions}</p>;
  return (
    <div class="scrolls">
      <table class="redemptions" aria-label={texts.redemptions}>
        <thead>
          <tr>
            {withCustomer && <th scope="col">{texts.customer}</th>}
            <th scope="col">{texts.reward}</th>
            <th scope="col" class="number">
              {texts.fields.points}
            </th>
            <th scope="col">{texts.state}</th>
            <th scope="col">{texts.since}</th>
            <th scope="col">{texts.code}</th>
          </tr>
        </thead>
        <tbody>
          {redemptions.map((one) => (
            <tr key={`${one.customer} ${one.id}`}>
              {withCustomer && (
                <td>
                  <a href={hrefOf('customers', [one.customer], inShop)}>{one.customer}</a>
                </td>
              )}
              <td class="foreign">{one.reward.title}</td>
              <td class="number">{numberText(one.reward.points)}</td>
              <td>
                <span class={`badge ${one.waitsForPerson ? 'bad' : (TONES[one.state] ?? 'waits')}`}>
                  {texts.states[one.state] ?? one.state}
                </span>
                {one.detail !== '' && <p lang="en">{one.detail}</p>}
                {one.waitsForPerson && (
                  <p>
                    <a href={hrefOf('letters', [], { kind: 'redemption', id: one.id })}>
                      {texts.letters}
                    </a>
                  </p>
                )}
                {isOffered('redemptions close') && one.canCloseAs.length > 0 && (
                  <p class="buttons">
                    {one.canCloseAs.map((as) => (
                      <button
                        type="button"
                        class="quiet"
                        key={as}
                        onClick={() => close(one, as, shop, onChanged)}
                      >
                        {texts.closeAs[as]}
                      </button>
                    ))}
                  </p>
                )}
              </td>
              <td title={momentText(one.since)}>{agoText(one.since)}</td>
              <td>{one.code ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const TONES: Readonly<Record<string, string>> = {
  ready: 'well',
  used: 'well',
  refused: '',
  cancelled: '',
};

function close(
  { customer, id }: RedemptionDocument,
  as: 'refused' | 'cancelled',
  shop: string,
  onEnd: () => void,
): void {
  const texts = words(strings);
  const line = (options: NonNullable<Line['options']>): Line => ({
    ...{ command: 'redemptions close', operands: [customer, id] },
    options: { ...(about.shops.length > 1 && { shop }), [as]: true, ...options },
  });
  openAction({
    title: texts.closeAs[as],
    children: texts.lookFirst,
    preview: line({}),
    line: line({ yes: true }),
    onEnd,
  });
}
