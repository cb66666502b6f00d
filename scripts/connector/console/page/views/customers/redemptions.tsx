import type { RedemptionDocument } from '../../../../redemptions/redemptions.ts';
import { inShop, isOffered } from '../../about.ts';
import { openAction } from '../../action.ts';
import { Ago } from '../../parts/form.tsx';
import { Table } from '../../parts/table.tsx';
import { hrefOf } from '../../router.ts';
import type { Line } from '../../run.ts';
import { numberText, words } from '../../words.ts';
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
  if (redemptions.length === 0) return <p class="soft">{texts.noRedemptions}</p>;
  return (
    <Table
      {...{ class: 'redemptions', label: texts.redemptions, rows: redemptions }}
      keyOf={({ customer, id }) => `${customer} ${id}`}
      columns={[
        withCustomer === true && {
          title: texts.customer,
          cell: ({ customer }) => (
            <a href={hrefOf('customers', [customer], inShop(shop))}>{customer}</a>
          ),
        },
        { title: texts.reward, kind: 'foreign', cell: ({ reward }) => reward.title },
        {
          ...{ title: texts.fields.points, kind: 'number' },
          cell: ({ reward }) => numberText(reward.points),
        },
        { title: texts.state, cell: (one) => <State {...{ one, shop, onChanged }} /> },
        { title: texts.since, cell: ({ since }) => <Ago at={since} /> },
        { title: texts.code, cell: ({ code }) => code ?? '–' },
      ]}
    />
  );
}

function State({
  one,
  shop,
  onChanged,
}: Pick<RedemptionsProps, 'shop' | 'onChanged'> & { readonly one: RedemptionDocument }) {
  const texts = words(strings);
  return (
    <>
      <span class={`badge ${one.waitsForPerson ? 'bad' : (TONES[one.state] ?? 'waits')}`}>
        {texts.states[one.state] ?? one.state}
      </span>
      {one.detail !== '' && <p lang="en">{one.detail}</p>}
      {one.waitsForPerson && (
        <p>
          <a href={hrefOf('letters', [], { kind: 'redemption', id: one.id })}>{texts.letters}</a>
        </p>
      )}
      {isOffered('redemptions close') && one.canCloseAs.length > 0 && (
        <p class="buttons">
          {one.canCloseAs.map((as) => (
            <button
              {...{ type: 'button', class: 'quiet' }}
              key={as}
              onClick={() => close(one, as, shop, onChanged)}
            >
              {texts.closeAs[as]}
            </button>
          ))}
        </p>
      )}
    </>
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
    options: { ...inShop(shop), [as]: true, ...options },
  });
  openAction({
    title: texts.closeAs[as],
    children: texts.lookFirst,
    preview: line({}),
    line: line({ yes: true }),
    onEnd,
  });
}
