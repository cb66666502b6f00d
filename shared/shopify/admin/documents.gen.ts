// Generated from documents/*.graphql and Shopify's schema 2026-10: npm run generate.

import type { AdminDocument } from './client/admin-client.ts';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
export type AppDeveloperType =
  | 'MERCHANT'
  | 'PARTNER'
  | 'SHOPIFY'
  | 'UNKNOWN';

export type CountryCode =
  | 'AC'
  | 'AD'
  | 'AE'
  | 'AF'
  | 'AG'
  | 'AI'
  | 'AL'
  | 'AM'
  | 'AN'
  | 'AO'
  | 'AR'
  | 'AT'
  | 'AU'
  | 'AW'
  | 'AX'
  | 'AZ'
  | 'BA'
  | 'BB'
  | 'BD'
  | 'BE'
  | 'BF'
  | 'BG'
  | 'BH'
  | 'BI'
  | 'BJ'
  | 'BL'
  | 'BM'
  | 'BN'
  | 'BO'
  | 'BQ'
  | 'BR'
  | 'BS'
  | 'BT'
  | 'BV'
  | 'BW'
  | 'BY'
  | 'BZ'
  | 'CA'
  | 'CC'
  | 'CD'
  | 'CF'
  | 'CG'
  | 'CH'
  | 'CI'
  | 'CK'
  | 'CL'
  | 'CM'
  | 'CN'
  | 'CO'
  | 'CR'
  | 'CU'
  | 'CV'
  | 'CW'
  | 'CX'
  | 'CY'
  | 'CZ'
  | 'DE'
  | 'DJ'
  | 'DK'
  | 'DM'
  | 'DO'
  | 'DZ'
  | 'EC'
  | 'EE'
  | 'EG'
  | 'EH'
  | 'ER'
  | 'ES'
  | 'ET'
  | 'FI'
  | 'FJ'
  | 'FK'
  | 'FO'
  | 'FR'
  | 'GA'
  | 'GB'
  | 'GD'
  | 'GE'
  | 'GF'
  | 'GG'
  | 'GH'
  | 'GI'
  | 'GL'
  | 'GM'
  | 'GN'
  | 'GP'
  | 'GQ'
  | 'GR'
  | 'GS'
  | 'GT'
  | 'GW'
  | 'GY'
  | 'HK'
  | 'HM'
  | 'HN'
  | 'HR'
  | 'HT'
  | 'HU'
  | 'ID'
  | 'IE'
  | 'IL'
  | 'IM'
  | 'IN'
  | 'IO'
  | 'IQ'
  | 'IR'
  | 'IS'
  | 'IT'
  | 'JE'
  | 'JM'
  | 'JO'
  | 'JP'
  | 'KE'
  | 'KG'
  | 'KH'
  | 'KI'
  | 'KM'
  | 'KN'
  | 'KP'
  | 'KR'
  | 'KW'
  | 'KY'
  | 'KZ'
  | 'LA'
  | 'LB'
  | 'LC'
  | 'LI'
  | 'LK'
  | 'LR'
  | 'LS'
  | 'LT'
  | 'LU'
  | 'LV'
  | 'LY'
  | 'MA'
  | 'MC'
  | 'MD'
  | 'ME'
  | 'MF'
  | 'MG'
  | 'MK'
  | 'ML'
  | 'MM'
  | 'MN'
  | 'MO'
  | 'MQ'
  | 'MR'
  | 'MS'
  | 'MT'
  | 'MU'
  | 'MV'
  | 'MW'
  | 'MX'
  | 'MY'
  | 'MZ'
  | 'NA'
  | 'NC'
  | 'NE'
  | 'NF'
  | 'NG'
  | 'NI'
  | 'NL'
  | 'NO'
  | 'NP'
  | 'NR'
  | 'NU'
  | 'NZ'
  | 'OM'
  | 'PA'
  | 'PE'
  | 'PF'
  | 'PG'
  | 'PH'
  | 'PK'
  | 'PL'
  | 'PM'
  | 'PN'
  | 'PS'
  | 'PT'
  | 'PY'
  | 'QA'
  | 'RE'
  | 'RO'
  | 'RS'
  | 'RU'
  | 'RW'
  | 'SA'
  | 'SB'
  | 'SC'
  | 'SD'
  | 'SE'
  | 'SG'
  | 'SH'
  | 'SI'
  | 'SJ'
  | 'SK'
  | 'SL'
  | 'SM'
  | 'SN'
  | 'SO'
  | 'SR'
  | 'SS'
  | 'ST'
  | 'SV'
  | 'SX'
  | 'SY'
  | 'SZ'
  | 'TA'
  | 'TC'
  | 'TD'
  | 'TF'
  | 'TG'
  | 'TH'
  | 'TJ'
  | 'TK'
  | 'TL'
  | 'TM'
  | 'TN'
  | 'TO'
  | 'TR'
  | 'TT'
  | 'TV'
  | 'TW'
  | 'TZ'
  | 'UA'
  | 'UG'
  | 'UM'
  | 'US'
  | 'UY'
  | 'UZ'
  | 'VA'
  | 'VC'
  | 'VE'
  | 'VG'
  | 'VN'
  | 'VU'
  | 'WF'
  | 'WS'
  | 'XK'
  | 'YE'
  | 'YT'
  | 'ZA'
  | 'ZM'
  | 'ZW'
  | 'ZZ';

export type CurrencyCode =
  | 'AED'
  | 'AFN'
  | 'ALL'
  | 'AMD'
  | 'ANG'
  | 'AOA'
  | 'ARS'
  | 'AUD'
  | 'AWG'
  | 'AZN'
  | 'BAM'
  | 'BBD'
  | 'BDT'
  | 'BGN'
  | 'BHD'
  | 'BIF'
  | 'BMD'
  | 'BND'
  | 'BOB'
  | 'BRL'
  | 'BSD'
  | 'BTN'
  | 'BWP'
  | 'BYN'
  | 'BYR'
  | 'BZD'
  | 'CAD'
  | 'CDF'
  | 'CHF'
  | 'CLP'
  | 'CNY'
  | 'COP'
  | 'CRC'
  | 'CVE'
  | 'CZK'
  | 'DJF'
  | 'DKK'
  | 'DOP'
  | 'DZD'
  | 'EGP'
  | 'ERN'
  | 'ETB'
  | 'EUR'
  | 'FJD'
  | 'FKP'
  | 'GBP'
  | 'GEL'
  | 'GHS'
  | 'GIP'
  | 'GMD'
  | 'GNF'
  | 'GTQ'
  | 'GYD'
  | 'HKD'
  | 'HNL'
  | 'HRK'
  | 'HTG'
  | 'HUF'
  | 'IDR'
  | 'ILS'
  | 'INR'
  | 'IQD'
  | 'IRR'
  | 'ISK'
  | 'JEP'
  | 'JMD'
  | 'JOD'
  | 'JPY'
  | 'KES'
  | 'KGS'
  | 'KHR'
  | 'KID'
  | 'KMF'
  | 'KRW'
  | 'KWD'
  | 'KYD'
  | 'KZT'
  | 'LAK'
  | 'LBP'
  | 'LKR'
  | 'LRD'
  | 'LSL'
  | 'LTL'
  | 'LVL'
  | 'LYD'
  | 'MAD'
  | 'MDL'
  | 'MGA'
  | 'MKD'
  | 'MMK'
  | 'MNT'
  | 'MOP'
  | 'MRU'
  | 'MUR'
  | 'MVR'
  | 'MWK'
  | 'MXN'
  | 'MYR'
  | 'MZN'
  | 'NAD'
  | 'NGN'
  | 'NIO'
  | 'NOK'
  | 'NPR'
  | 'NZD'
  | 'OMR'
  | 'PAB'
  | 'PEN'
  | 'PGK'
  | 'PHP'
  | 'PKR'
  | 'PLN'
  | 'PYG'
  | 'QAR'
  | 'RON'
  | 'RSD'
  | 'RUB'
  | 'RWF'
  | 'SAR'
  | 'SBD'
  | 'SCR'
  | 'SDG'
  | 'SEK'
  | 'SGD'
  | 'SHP'
  | 'SLL'
  | 'SOS'
  | 'SRD'
  | 'SSP'
  | 'STD'
  | 'STN'
  | 'SYP'
  | 'SZL'
  | 'THB'
  | 'TJS'
  | 'TMT'
  | 'TND'
  | 'TOP'
  | 'TRY'
  | 'TTD'
  | 'TWD'
  | 'TZS'
  | 'UAH'
  | 'UGX'
  | 'USD'
  | 'USDC'
  | 'UYU'
  | 'UZS'
  | 'VED'
  | 'VEF'
  | 'VES'
  | 'VND'
  | 'VUV'
  | 'WST'
  | 'XAF'
  | 'XCD'
  | 'XOF'
  | 'XPF'
  | 'XXX'
  | 'YER'
  | 'ZAR'
  | 'ZMW';

export type CustomerAccountsVersion =
  | 'CLASSIC'
  | 'NEW_CUSTOMER_ACCOUNTS';

export type DiscountAmountInput = {
  readonly amount?: string | null | undefined;
  readonly appliesOnEachItem?: boolean | null | undefined;
};

export type DiscountBuyerSelection =
  | 'ALL';

export type DiscountCodeBasicInput = {
  readonly appliesOncePerCustomer?: boolean | null | undefined;
  readonly code?: string | null | undefined;
  readonly combinesWith?: DiscountCombinesWithInput | null | undefined;
  readonly context?: DiscountContextInput | null | undefined;
  readonly customerGets?: DiscountCustomerGetsInput | null | undefined;
  /** @deprecated Use `context` instead. */
  readonly customerSelection?: DiscountCustomerSelectionInput | null | undefined;
  readonly endsAt?: string | null | undefined;
  readonly minimumRequirement?: DiscountMinimumRequirementInput | null | undefined;
  readonly recurringCycleLimit?: number | null | undefined;
  readonly startsAt?: string | null | undefined;
  readonly tags?: ReadonlyArray<string> | null | undefined;
  readonly title?: string | null | undefined;
  readonly usageLimit?: number | null | undefined;
};

export type DiscountCodeFreeShippingInput = {
  readonly appliesOnOneTimePurchase?: boolean | null | undefined;
  readonly appliesOnSubscription?: boolean | null | undefined;
  readonly appliesOncePerCustomer?: boolean | null | undefined;
  readonly code?: string | null | undefined;
  readonly combinesWith?: DiscountCombinesWithInput | null | undefined;
  readonly context?: DiscountContextInput | null | undefined;
  /** @deprecated Use `context` instead. */
  readonly customerSelection?: DiscountCustomerSelectionInput | null | undefined;
  readonly destination?: DiscountShippingDestinationSelectionInput | null | undefined;
  readonly endsAt?: string | null | undefined;
  readonly maximumShippingPrice?: string | null | undefined;
  readonly minimumRequirement?: DiscountMinimumRequirementInput | null | undefined;
  readonly recurringCycleLimit?: number | null | undefined;
  readonly startsAt?: string | null | undefined;
  readonly tags?: ReadonlyArray<string> | null | undefined;
  readonly title?: string | null | undefined;
  readonly usageLimit?: number | null | undefined;
};

export type DiscountCollectionsInput = {
  readonly add?: ReadonlyArray<string> | null | undefined;
  readonly remove?: ReadonlyArray<string> | null | undefined;
};

export type DiscountCombinesWithInput = {
  readonly orderDiscounts?: boolean | null | undefined;
  readonly productDiscounts?: boolean | null | undefined;
  readonly productDiscountsWithTagsOnSameCartLine?: ProductDiscountsWithTagsOnSameCartLineInput | null | undefined;
  readonly shippingDiscounts?: boolean | null | undefined;
};

export type DiscountContextInput =
  {   readonly all: DiscountBuyerSelection; readonly customerSegments?: never; readonly customers?: never; readonly markets?: never; }
  |  { readonly all?: never;   readonly customerSegments: DiscountCustomerSegmentsInput; readonly customers?: never; readonly markets?: never; }
  |  { readonly all?: never; readonly customerSegments?: never;   readonly customers: DiscountCustomersInput; readonly markets?: never; }
  |  { readonly all?: never; readonly customerSegments?: never; readonly customers?: never;   readonly markets: DiscountMarketsInput; };

export type DiscountCountriesInput = {
  readonly add?: ReadonlyArray<CountryCode> | null | undefined;
  readonly includeRestOfWorld?: boolean | null | undefined;
  readonly remove?: ReadonlyArray<CountryCode> | null | undefined;
};

export type DiscountCustomerGetsInput = {
  readonly appliesOnOneTimePurchase?: boolean | null | undefined;
  readonly appliesOnSubscription?: boolean | null | undefined;
  readonly items?: DiscountItemsInput | null | undefined;
  readonly value?: DiscountCustomerGetsValueInput | null | undefined;
};

export type DiscountCustomerGetsValueInput = {
  readonly discountAmount?: DiscountAmountInput | null | undefined;
  readonly discountOnQuantity?: DiscountOnQuantityInput | null | undefined;
  readonly percentage?: number | null | undefined;
};

export type DiscountCustomerSegmentsInput = {
  readonly add?: ReadonlyArray<string> | null | undefined;
  readonly remove?: ReadonlyArray<string> | null | undefined;
};

export type DiscountCustomerSelectionInput = {
  readonly all?: boolean | null | undefined;
  readonly customerSegments?: DiscountCustomerSegmentsInput | null | undefined;
  readonly customers?: DiscountCustomersInput | null | undefined;
};

export type DiscountCustomersInput = {
  readonly add?: ReadonlyArray<string> | null | undefined;
  readonly remove?: ReadonlyArray<string> | null | undefined;
};

export type DiscountEffectInput = {
  readonly amount?: string | null | undefined;
  readonly percentage?: number | null | undefined;
};

export type DiscountErrorCode =
  | 'ACTIVE_PERIOD_OVERLAP'
  | 'APPLIES_ON_NOTHING'
  | 'BLANK'
  | 'CONFLICT'
  | 'DISCOUNT_NOT_COMPATIBLE_WITH_CONDITION_TYPES'
  | 'DUPLICATE'
  | 'END_DATE_BEFORE_START_DATE'
  | 'EQUAL_TO'
  | 'EXCEEDED_MAX'
  | 'GREATER_THAN'
  | 'GREATER_THAN_OR_EQUAL_TO'
  | 'IMPLICIT_DUPLICATE'
  | 'INCLUSION'
  | 'INTERNAL_ERROR'
  | 'INVALID'
  | 'INVALID_COMBINES_WITH_FOR_DISCOUNT_CLASS'
  | 'INVALID_DISCOUNT_CLASS_FOR_PRICE_RULE'
  | 'INVALID_PRODUCT_DISCOUNTS_FALSE_WITH_EXISTING_TAGS_ON_SAME_CART_LINE'
  | 'INVALID_PRODUCT_DISCOUNTS_WITH_TAGS_ON_SAME_CART_LINE_FOR_DISCOUNT_CLASS'
  | 'INVALID_PRODUCT_DISCOUNTS_WITH_TAGS_ON_SAME_CART_LINE_WITHOUT_PRODUCT_DISCOUNTS'
  | 'INVALID_TAG_LENGTH'
  | 'LESS_THAN'
  | 'LESS_THAN_OR_EQUAL_TO'
  | 'MAX_APP_DISCOUNTS'
  | 'MINIMUM_SUBTOTAL_AND_QUANTITY_RANGE_BOTH_PRESENT'
  | 'MISSING_ARGUMENT'
  | 'MISSING_FUNCTION_IDENTIFIER'
  | 'MULTIPLE_FUNCTION_IDENTIFIERS'
  | 'MULTIPLE_RECURRING_CYCLE_LIMIT_FOR_NON_SUBSCRIPTION_ITEMS'
  | 'PRESENT'
  | 'PRODUCT_DISCOUNTS_WITH_TAGS_ON_SAME_CART_LINE_NOT_ENTITLED'
  | 'RECURRING_CYCLE_LIMIT_NOT_A_VALID_INTEGER'
  | 'TAKEN'
  | 'TOO_LONG'
  | 'TOO_MANY_ARGUMENTS'
  | 'TOO_MANY_PRODUCT_DISCOUNTS_WITH_TAGS_ON_SAME_CART_LINE'
  | 'TOO_MANY_TAGS'
  | 'TOO_SHORT'
  | 'VALUE_OUTSIDE_RANGE';

export type DiscountItemsInput = {
  readonly all?: boolean | null | undefined;
  readonly collections?: DiscountCollectionsInput | null | undefined;
  readonly products?: DiscountProductsInput | null | undefined;
};

export type DiscountMarketsInput = {
  readonly add?: ReadonlyArray<string> | null | undefined;
  readonly remove?: ReadonlyArray<string> | null | undefined;
};

export type DiscountMinimumQuantityInput = {
  readonly greaterThanOrEqualToQuantity?: string | null | undefined;
};

export type DiscountMinimumRequirementInput = {
  readonly quantity?: DiscountMinimumQuantityInput | null | undefined;
  readonly subtotal?: DiscountMinimumSubtotalInput | null | undefined;
};

export type DiscountMinimumSubtotalInput = {
  readonly greaterThanOrEqualToSubtotal?: string | null | undefined;
};

export type DiscountOnQuantityInput = {
  readonly effect?: DiscountEffectInput | null | undefined;
  readonly quantity?: string | null | undefined;
};

export type DiscountProductsInput = {
  readonly productVariantsToAdd?: ReadonlyArray<string> | null | undefined;
  readonly productVariantsToRemove?: ReadonlyArray<string> | null | undefined;
  readonly productsToAdd?: ReadonlyArray<string> | null | undefined;
  readonly productsToRemove?: ReadonlyArray<string> | null | undefined;
};

export type DiscountShippingDestinationSelectionInput = {
  readonly all?: boolean | null | undefined;
  readonly countries?: DiscountCountriesInput | null | undefined;
};

export type DiscountSortKeys =
  | 'CREATED_AT'
  | 'ENDS_AT'
  | 'ID'
  | 'RELEVANCE'
  | 'STARTS_AT'
  | 'TITLE'
  | 'UPDATED_AT';

export type DiscountStatus =
  | 'ACTIVE'
  | 'EXPIRED'
  | 'SCHEDULED';

export type DisputeStatus =
  | 'ACCEPTED'
  | 'CHARGE_REFUNDED'
  | 'LOST'
  | 'NEEDS_RESPONSE'
  | 'PREVENTED'
  | 'UNDER_REVIEW'
  | 'WON';

export type FulfillmentStatus =
  | 'CANCELLED'
  | 'ERROR'
  | 'FAILURE'
  | 'OPEN'
  | 'PENDING'
  | 'SUCCESS';

export type HasMetafieldsMetafieldIdentifierInput = {
  readonly key: string;
  readonly namespace?: string | null | undefined;
};

export type LocalizedFieldKey =
  | 'SHIPPING_CREDENTIAL_BR'
  | 'SHIPPING_CREDENTIAL_CL'
  | 'SHIPPING_CREDENTIAL_CN'
  | 'SHIPPING_CREDENTIAL_CO'
  | 'SHIPPING_CREDENTIAL_CR'
  | 'SHIPPING_CREDENTIAL_EC'
  | 'SHIPPING_CREDENTIAL_ES'
  | 'SHIPPING_CREDENTIAL_GT'
  | 'SHIPPING_CREDENTIAL_ID'
  | 'SHIPPING_CREDENTIAL_KR'
  | 'SHIPPING_CREDENTIAL_MX'
  | 'SHIPPING_CREDENTIAL_MY'
  | 'SHIPPING_CREDENTIAL_PE'
  | 'SHIPPING_CREDENTIAL_PT'
  | 'SHIPPING_CREDENTIAL_PY'
  | 'SHIPPING_CREDENTIAL_TR'
  | 'SHIPPING_CREDENTIAL_TW'
  | 'SHIPPING_CREDENTIAL_TYPE_CO'
  | 'TAX_CREDENTIAL_BR'
  | 'TAX_CREDENTIAL_CL'
  | 'TAX_CREDENTIAL_CO'
  | 'TAX_CREDENTIAL_CR'
  | 'TAX_CREDENTIAL_EC'
  | 'TAX_CREDENTIAL_ES'
  | 'TAX_CREDENTIAL_GT'
  | 'TAX_CREDENTIAL_ID'
  | 'TAX_CREDENTIAL_IT'
  | 'TAX_CREDENTIAL_MX'
  | 'TAX_CREDENTIAL_MY'
  | 'TAX_CREDENTIAL_PE'
  | 'TAX_CREDENTIAL_PT'
  | 'TAX_CREDENTIAL_PY'
  | 'TAX_CREDENTIAL_TR'
  | 'TAX_CREDENTIAL_TYPE_CO'
  | 'TAX_CREDENTIAL_TYPE_MX'
  | 'TAX_CREDENTIAL_USE_MX'
  | 'TAX_EMAIL_IT';

export type MetafieldAccessInput = {
  readonly admin?: MetafieldAdminAccessInput | null | undefined;
  readonly customerAccount?: MetafieldCustomerAccountAccessInput | null | undefined;
  readonly storefront?: MetafieldStorefrontAccessInput | null | undefined;
};

export type MetafieldAccessUpdateInput = {
  readonly admin?: MetafieldAdminAccessInput | null | undefined;
  readonly customerAccount?: MetafieldCustomerAccountAccessInput | null | undefined;
  readonly storefront?: MetafieldStorefrontAccessInput | null | undefined;
};

export type MetafieldAdminAccessInput =
  | 'MERCHANT_READ'
  | 'MERCHANT_READ_WRITE';

export type MetafieldCapabilityAdminFilterableInput = {
  readonly enabled: boolean;
};

export type MetafieldCapabilityAnalyticsQueryableInput = {
  readonly enabled: boolean;
};

export type MetafieldCapabilityCartToOrderCopyableInput = {
  readonly enabled: boolean;
};

export type MetafieldCapabilityCreateInput = {
  readonly adminFilterable?: MetafieldCapabilityAdminFilterableInput | null | undefined;
  readonly analyticsQueryable?: MetafieldCapabilityAnalyticsQueryableInput | null | undefined;
  readonly cartToOrderCopyable?: MetafieldCapabilityCartToOrderCopyableInput | null | undefined;
  readonly smartCollectionCondition?: MetafieldCapabilitySmartCollectionConditionInput | null | undefined;
  readonly uniqueValues?: MetafieldCapabilityUniqueValuesInput | null | undefined;
};

export type MetafieldCapabilitySmartCollectionConditionInput = {
  readonly enabled: boolean;
};

export type MetafieldCapabilityUniqueValuesInput = {
  readonly enabled: boolean;
};

export type MetafieldCapabilityUpdateInput = {
  readonly adminFilterable?: MetafieldCapabilityAdminFilterableInput | null | undefined;
  readonly analyticsQueryable?: MetafieldCapabilityAnalyticsQueryableInput | null | undefined;
  readonly cartToOrderCopyable?: MetafieldCapabilityCartToOrderCopyableInput | null | undefined;
  readonly smartCollectionCondition?: MetafieldCapabilitySmartCollectionConditionInput | null | undefined;
  readonly uniqueValues?: MetafieldCapabilityUniqueValuesInput | null | undefined;
};

export type MetafieldCustomerAccountAccess =
  | 'NONE'
  | 'READ'
  | 'READ_WRITE';

export type MetafieldCustomerAccountAccessInput =
  | 'NONE'
  | 'READ'
  | 'READ_WRITE';

export type MetafieldDefinitionConstraintValueUpdateInput = {
  readonly create?: string | null | undefined;
  readonly delete?: string | null | undefined;
};

export type MetafieldDefinitionConstraintsInput = {
  readonly key: string;
  readonly values: ReadonlyArray<string>;
};

export type MetafieldDefinitionConstraintsUpdatesInput = {
  readonly key?: string | null | undefined;
  readonly values?: ReadonlyArray<MetafieldDefinitionConstraintValueUpdateInput> | null | undefined;
};

export type MetafieldDefinitionCreateUserErrorCode =
  | 'ADMIN_ACCESS_INPUT_NOT_ALLOWED'
  | 'BLANK'
  | 'CAPABILITY_REQUIRED_BUT_DISABLED'
  | 'DUPLICATE_OPTION'
  | 'INCLUSION'
  | 'INVALID'
  | 'INVALID_CAPABILITY'
  | 'INVALID_CHARACTER'
  | 'INVALID_CONSTRAINTS'
  | 'INVALID_INPUT_COMBINATION'
  | 'INVALID_OPTION'
  | 'LIMIT_EXCEEDED'
  | 'OWNER_TYPE_LIMIT_EXCEEDED_FOR_AUTOMATED_COLLECTIONS'
  | 'OWNER_TYPE_LIMIT_EXCEEDED_FOR_USE_AS_ADMIN_FILTERS'
  | 'PINNED_LIMIT_REACHED'
  | 'PRESENT'
  | 'RESERVED_NAMESPACE_KEY'
  | 'RESOURCE_TYPE_LIMIT_EXCEEDED'
  | 'RESOURCE_TYPE_LIMIT_EXCEEDED_BY_APP'
  | 'TAKEN'
  | 'TOO_LONG'
  | 'TOO_SHORT'
  | 'TYPE_NOT_ALLOWED_FOR_CONDITIONS'
  | 'UNSTRUCTURED_ALREADY_EXISTS'
  | 'UNSUPPORTED_PINNING';

export type MetafieldDefinitionInput = {
  readonly access?: MetafieldAccessInput | null | undefined;
  readonly capabilities?: MetafieldCapabilityCreateInput | null | undefined;
  readonly constraints?: MetafieldDefinitionConstraintsInput | null | undefined;
  readonly description?: string | null | undefined;
  readonly key: string;
  readonly name: string;
  readonly namespace?: string | null | undefined;
  readonly ownerType: MetafieldOwnerType;
  readonly pin?: boolean | null | undefined;
  readonly type: string;
  /** @deprecated Use `smartCollectionCondition` instead. */
  readonly useAsCollectionCondition?: boolean | null | undefined;
  readonly validations?: ReadonlyArray<MetafieldDefinitionValidationInput> | null | undefined;
};

export type MetafieldDefinitionUpdateInput = {
  readonly access?: MetafieldAccessUpdateInput | null | undefined;
  readonly capabilities?: MetafieldCapabilityUpdateInput | null | undefined;
  readonly constraintsUpdates?: MetafieldDefinitionConstraintsUpdatesInput | null | undefined;
  readonly description?: string | null | undefined;
  readonly key: string;
  readonly name?: string | null | undefined;
  readonly namespace?: string | null | undefined;
  readonly ownerType: MetafieldOwnerType;
  readonly pin?: boolean | null | undefined;
  /** @deprecated Use `smartCollectionCondition` instead. */
  readonly useAsCollectionCondition?: boolean | null | undefined;
  readonly validations?: ReadonlyArray<MetafieldDefinitionValidationInput> | null | undefined;
};

export type MetafieldDefinitionUpdateUserErrorCode =
  | 'ADMIN_ACCESS_INPUT_NOT_ALLOWED'
  | 'APP_CONFIG_MANAGED'
  | 'BLANK'
  | 'CAPABILITY_CANNOT_BE_DISABLED'
  | 'CAPABILITY_REQUIRED_BUT_DISABLED'
  | 'DISALLOWED_OWNER_TYPE'
  | 'DUPLICATE_OPTION'
  | 'INTERNAL_ERROR'
  | 'INVALID'
  | 'INVALID_CAPABILITY'
  | 'INVALID_CONSTRAINTS'
  | 'INVALID_INPUT'
  | 'INVALID_INPUT_COMBINATION'
  | 'INVALID_OPTION'
  | 'METAFIELD_DEFINITION_IN_USE'
  | 'METAOBJECT_DEFINITION_CHANGED'
  | 'NOT_FOUND'
  | 'OWNER_TYPE_LIMIT_EXCEEDED_FOR_AUTOMATED_COLLECTIONS'
  | 'OWNER_TYPE_LIMIT_EXCEEDED_FOR_USE_AS_ADMIN_FILTERS'
  | 'PINNED_LIMIT_REACHED'
  | 'PRESENT'
  | 'TOO_LONG'
  | 'TYPE_NOT_ALLOWED_FOR_CONDITIONS'
  | 'UNSUPPORTED_PINNING';

export type MetafieldDefinitionValidationInput = {
  readonly name: string;
  readonly value: string;
};

export type MetafieldIdentifierInput = {
  readonly key: string;
  readonly namespace: string;
  readonly ownerId: string;
};

export type MetafieldOwnerType =
  | 'API_PERMISSION'
  | 'ARTICLE'
  | 'BLOG'
  | 'CARTTRANSFORM'
  | 'COLLECTION'
  | 'COMPANY'
  | 'COMPANY_LOCATION'
  | 'CUSTOMER'
  | 'DELIVERY_CUSTOMIZATION'
  | 'DISCOUNT'
  | 'DRAFTORDER'
  | 'FULFILLMENT_CONSTRAINT_RULE'
  | 'GIFT_CARD_TRANSACTION'
  | 'LOCATION'
  | 'MARKET'
  | 'MEDIA_IMAGE'
  | 'ORDER'
  | 'ORDER_ROUTING_LOCATION_RULE'
  | 'PAGE'
  | 'PAYMENT_CUSTOMIZATION'
  | 'PRODUCT'
  | 'PRODUCTVARIANT'
  | 'SELLING_PLAN'
  | 'SHOP'
  | 'TRANSFER'
  | 'VALIDATION';

export type MetafieldStorefrontAccess =
  | 'NONE'
  | 'PUBLIC_READ';

export type MetafieldStorefrontAccessInput =
  | 'NONE'
  | 'PUBLIC_READ';

export type MetafieldsSetInput = {
  readonly compareDigest?: string | null | undefined;
  readonly key: string;
  readonly namespace?: string | null | undefined;
  readonly ownerId: string;
  readonly type?: string | null | undefined;
  readonly value: string;
};

export type MetafieldsSetUserErrorCode =
  | 'APP_NOT_AUTHORIZED'
  | 'BLANK'
  | 'CAPABILITY_VIOLATION'
  | 'INCLUSION'
  | 'INTERNAL_ERROR'
  | 'INVALID'
  | 'INVALID_COMPARE_DIGEST'
  | 'INVALID_TYPE'
  | 'INVALID_VALUE'
  | 'LESS_THAN_OR_EQUAL_TO'
  | 'PRESENT'
  | 'STALE_OBJECT'
  | 'TAKEN'
  | 'TOO_LONG'
  | 'TOO_SHORT';

export type MoneyInput = {
  readonly amount: string;
  readonly currencyCode: CurrencyCode;
};

export type OrderDisplayFinancialStatus =
  | 'AUTHORIZED'
  | 'EXPIRED'
  | 'PAID'
  | 'PARTIALLY_PAID'
  | 'PARTIALLY_REFUNDED'
  | 'PENDING'
  | 'REFUNDED'
  | 'VOIDED';

export type OrderDisplayFulfillmentStatus =
  | 'FULFILLED'
  | 'FULFILLMENT_NOT_REQUIRED'
  | 'IN_PROGRESS'
  | 'ON_HOLD'
  | 'OPEN'
  | 'PARTIALLY_FULFILLED'
  | 'PENDING_FULFILLMENT'
  | 'REQUEST_DECLINED'
  | 'RESTOCKED'
  | 'SCHEDULED'
  | 'UNFULFILLED';

export type OrderSortKeys =
  | 'CREATED_AT'
  | 'CURRENT_TOTAL_PRICE'
  | 'CUSTOMER_NAME'
  | 'DESTINATION'
  | 'FINANCIAL_STATUS'
  | 'FULFILLMENT_STATUS'
  | 'ID'
  | 'ORDER_NUMBER'
  | 'PO_NUMBER'
  | 'PROCESSED_AT'
  | 'RELEVANCE'
  | 'TOTAL_ITEMS_QUANTITY'
  | 'TOTAL_PRICE'
  | 'UPDATED_AT';

export type OrderTransactionKind =
  | 'AUTHORIZATION'
  | 'CAPTURE'
  | 'CHANGE'
  | 'EMV_AUTHORIZATION'
  | 'REFUND'
  | 'SALE'
  | 'SUGGESTED_REFUND'
  | 'VOID';

export type OrderTransactionStatus =
  | 'AWAITING_RESPONSE'
  | 'ERROR'
  | 'FAILURE'
  | 'PENDING'
  | 'SUCCESS'
  | 'UNKNOWN';

export type ProductDiscountsWithTagsOnSameCartLineInput = {
  readonly add?: ReadonlyArray<string> | null | undefined;
  readonly remove?: ReadonlyArray<string> | null | undefined;
};

export type ProductSortKeys =
  | 'CREATED_AT'
  | 'ID'
  | 'INVENTORY_TOTAL'
  | 'PRODUCT_TYPE'
  | 'PUBLISHED_AT'
  | 'RELEVANCE'
  | 'TITLE'
  | 'UPDATED_AT'
  | 'VENDOR';

export type ProductStatus =
  | 'ACTIVE'
  | 'ARCHIVED'
  | 'DRAFT'
  | 'UNLISTED';

export type SaleLineType =
  | 'ADDITIONAL_FEE'
  | 'ADJUSTMENT'
  | 'DUTY'
  | 'FEE'
  | 'GIFT_CARD'
  | 'PRODUCT'
  | 'SHIPPING'
  | 'TIP'
  | 'UNKNOWN';

export type StoreCreditAccountCreditInput = {
  readonly creditAmount: MoneyInput;
  readonly expiresAt?: string | null | undefined;
  readonly notify?: boolean | null | undefined;
};

export type StoreCreditAccountCreditUserErrorCode =
  | 'ACCOUNT_NOT_FOUND'
  | 'CREDIT_LIMIT_EXCEEDED'
  | 'EXPIRES_AT_IN_PAST'
  | 'MISMATCHING_CURRENCY'
  | 'NEGATIVE_OR_ZERO_AMOUNT'
  | 'OWNER_NOT_FOUND'
  | 'UNSUPPORTED_CURRENCY';

export type StoreCreditSystemEvent =
  | 'ADJUSTMENT'
  | 'ORDER_CANCELLATION'
  | 'ORDER_PAYMENT'
  | 'ORDER_REFUND'
  | 'PAYMENT_FAILURE'
  | 'PAYMENT_RETURNED'
  | 'TAX_FINALIZATION';

export type WebhookSubscriptionFormat =
  | 'JSON'
  | 'XML';

export type WebhookSubscriptionInput = {
  /** @deprecated Use `uri` instead. */
  readonly callbackUrl?: string | null | undefined;
  readonly filter?: string | null | undefined;
  readonly format?: WebhookSubscriptionFormat | null | undefined;
  readonly includeFields?: ReadonlyArray<string> | null | undefined;
  readonly metafieldNamespaces?: ReadonlyArray<string> | null | undefined;
  readonly metafields?: ReadonlyArray<HasMetafieldsMetafieldIdentifierInput> | null | undefined;
  readonly name?: string | null | undefined;
  readonly uri?: string | null | undefined;
};

export type WebhookSubscriptionTopic =
  | 'APP_PURCHASES_ONE_TIME_UPDATE'
  | 'APP_SCOPES_UPDATE'
  | 'APP_SUBSCRIPTIONS_APPROACHING_CAPPED_AMOUNT'
  | 'APP_SUBSCRIPTIONS_UPDATE'
  | 'APP_UNINSTALLED'
  | 'AUDIT_EVENTS_ADMIN_API_ACTIVITY'
  | 'BULK_OPERATIONS_FINISH'
  | 'CARTS_CREATE'
  | 'CARTS_UPDATE'
  | 'CHANNELS_DELETE'
  | 'CHECKOUTS_CREATE'
  | 'CHECKOUTS_DELETE'
  | 'CHECKOUTS_UPDATE'
  | 'COLLECTIONS_CREATE'
  | 'COLLECTIONS_DELETE'
  | 'COLLECTIONS_UPDATE'
  | 'COLLECTION_LISTINGS_ADD'
  | 'COLLECTION_LISTINGS_REMOVE'
  | 'COLLECTION_LISTINGS_UPDATE'
  | 'COLLECTION_PUBLICATIONS_CREATE'
  | 'COLLECTION_PUBLICATIONS_DELETE'
  | 'COLLECTION_PUBLICATIONS_UPDATE'
  | 'COMPANIES_CREATE'
  | 'COMPANIES_DELETE'
  | 'COMPANIES_UPDATE'
  | 'COMPANY_CONTACTS_CREATE'
  | 'COMPANY_CONTACTS_DELETE'
  | 'COMPANY_CONTACTS_UPDATE'
  | 'COMPANY_CONTACT_ROLES_ASSIGN'
  | 'COMPANY_CONTACT_ROLES_REVOKE'
  | 'COMPANY_LOCATIONS_CREATE'
  | 'COMPANY_LOCATIONS_DELETE'
  | 'COMPANY_LOCATIONS_UPDATE'
  | 'CUSTOMERS_CREATE'
  | 'CUSTOMERS_DELETE'
  | 'CUSTOMERS_DISABLE'
  | 'CUSTOMERS_EMAIL_MARKETING_CONSENT_UPDATE'
  | 'CUSTOMERS_ENABLE'
  | 'CUSTOMERS_MARKETING_CONSENT_UPDATE'
  | 'CUSTOMERS_MERGE'
  | 'CUSTOMERS_PURCHASING_SUMMARY'
  | 'CUSTOMERS_UPDATE'
  | 'CUSTOMERS_WHATS_APP_MARKETING_CONSENT_UPDATE'
  | 'CUSTOMER_ACCOUNT_SETTINGS_UPDATE'
  | 'CUSTOMER_GROUPS_CREATE'
  | 'CUSTOMER_GROUPS_DELETE'
  | 'CUSTOMER_GROUPS_UPDATE'
  | 'CUSTOMER_JOINED_SEGMENT'
  | 'CUSTOMER_LEFT_SEGMENT'
  | 'CUSTOMER_PAYMENT_METHODS_CREATE'
  | 'CUSTOMER_PAYMENT_METHODS_REVOKE'
  | 'CUSTOMER_PAYMENT_METHODS_UPDATE'
  | 'CUSTOMER_TAGS_ADDED'
  | 'CUSTOMER_TAGS_REMOVED'
  | 'DELIVERY_PROMISE_SETTINGS_UPDATE'
  | 'DISCOUNTS_CREATE'
  | 'DISCOUNTS_DELETE'
  | 'DISCOUNTS_REDEEMCODE_ADDED'
  | 'DISCOUNTS_REDEEMCODE_REMOVED'
  | 'DISCOUNTS_UPDATE'
  | 'DISPUTES_CREATE'
  | 'DISPUTES_UPDATE'
  | 'DOMAINS_CREATE'
  | 'DOMAINS_DESTROY'
  | 'DOMAINS_UPDATE'
  | 'DRAFT_ORDERS_CREATE'
  | 'DRAFT_ORDERS_DELETE'
  | 'DRAFT_ORDERS_UPDATE'
  | 'FINANCE_APP_STAFF_MEMBER_DELETE'
  | 'FINANCE_APP_STAFF_MEMBER_GRANT'
  | 'FINANCE_APP_STAFF_MEMBER_REVOKE'
  | 'FINANCE_APP_STAFF_MEMBER_UPDATE'
  | 'FINANCE_KYC_INFORMATION_UPDATE'
  | 'FULFILLMENTS_CREATE'
  | 'FULFILLMENTS_UPDATE'
  | 'FULFILLMENT_EVENTS_CREATE'
  | 'FULFILLMENT_EVENTS_DELETE'
  | 'FULFILLMENT_HOLDS_ADDED'
  | 'FULFILLMENT_HOLDS_RELEASED'
  | 'FULFILLMENT_ORDERS_CANCELLATION_REQUEST_ACCEPTED'
  | 'FULFILLMENT_ORDERS_CANCELLATION_REQUEST_REJECTED'
  | 'FULFILLMENT_ORDERS_CANCELLATION_REQUEST_SUBMITTED'
  | 'FULFILLMENT_ORDERS_CANCELLED'
  | 'FULFILLMENT_ORDERS_FULFILLMENT_REQUEST_ACCEPTED'
  | 'FULFILLMENT_ORDERS_FULFILLMENT_REQUEST_REJECTED'
  | 'FULFILLMENT_ORDERS_FULFILLMENT_REQUEST_SUBMITTED'
  | 'FULFILLMENT_ORDERS_FULFILLMENT_SERVICE_FAILED_TO_COMPLETE'
  | 'FULFILLMENT_ORDERS_HOLD_RELEASED'
  | 'FULFILLMENT_ORDERS_LINE_ITEMS_PREPARED_FOR_LOCAL_DELIVERY'
  | 'FULFILLMENT_ORDERS_LINE_ITEMS_PREPARED_FOR_PICKUP'
  | 'FULFILLMENT_ORDERS_MANUALLY_REPORTED_PROGRESS_STOPPED'
  | 'FULFILLMENT_ORDERS_MERGED'
  | 'FULFILLMENT_ORDERS_MOVED'
  | 'FULFILLMENT_ORDERS_ORDER_ROUTING_COMPLETE'
  | 'FULFILLMENT_ORDERS_PLACED_ON_HOLD'
  | 'FULFILLMENT_ORDERS_PROGRESS_REPORTED'
  | 'FULFILLMENT_ORDERS_RESCHEDULED'
  | 'FULFILLMENT_ORDERS_SCHEDULED_FULFILLMENT_ORDER_READY'
  | 'FULFILLMENT_ORDERS_SPLIT'
  | 'INVENTORY_ITEMS_CREATE'
  | 'INVENTORY_ITEMS_DELETE'
  | 'INVENTORY_ITEMS_UPDATE'
  | 'INVENTORY_LEVELS_CONNECT'
  | 'INVENTORY_LEVELS_DISCONNECT'
  | 'INVENTORY_LEVELS_UPDATE'
  | 'INVENTORY_SHIPMENTS_ADD_ITEMS'
  | 'INVENTORY_SHIPMENTS_CREATE'
  | 'INVENTORY_SHIPMENTS_DELETE'
  | 'INVENTORY_SHIPMENTS_MARK_IN_TRANSIT'
  | 'INVENTORY_SHIPMENTS_RECEIVE_ITEMS'
  | 'INVENTORY_SHIPMENTS_REMOVE_ITEMS'
  | 'INVENTORY_SHIPMENTS_UPDATE_ITEM_QUANTITIES'
  | 'INVENTORY_SHIPMENTS_UPDATE_TRACKING'
  | 'INVENTORY_TRANSFERS_ADD_ITEMS'
  | 'INVENTORY_TRANSFERS_CANCEL'
  | 'INVENTORY_TRANSFERS_COMPLETE'
  | 'INVENTORY_TRANSFERS_READY_TO_SHIP'
  | 'INVENTORY_TRANSFERS_REMOVE_ITEMS'
  | 'INVENTORY_TRANSFERS_UPDATED'
  | 'INVENTORY_TRANSFERS_UPDATE_ITEM_QUANTITIES'
  | 'LOCALES_CREATE'
  | 'LOCALES_DESTROY'
  | 'LOCALES_UPDATE'
  | 'LOCATIONS_ACTIVATE'
  | 'LOCATIONS_CREATE'
  | 'LOCATIONS_DEACTIVATE'
  | 'LOCATIONS_DELETE'
  | 'LOCATIONS_UPDATE'
  | 'MARKETS_BACKUP_REGION_UPDATE'
  | 'MARKETS_CREATE'
  | 'MARKETS_DELETE'
  | 'MARKETS_UPDATE'
  | 'METAFIELD_DEFINITIONS_CREATE'
  | 'METAFIELD_DEFINITIONS_DELETE'
  | 'METAFIELD_DEFINITIONS_UPDATE'
  | 'METAOBJECTS_CREATE'
  | 'METAOBJECTS_DELETE'
  | 'METAOBJECTS_UPDATE'
  | 'ORDERS_CANCELLED'
  | 'ORDERS_CREATE'
  | 'ORDERS_DELETE'
  | 'ORDERS_EDITED'
  | 'ORDERS_FULFILLED'
  | 'ORDERS_LINK_REQUESTED'
  | 'ORDERS_PAID'
  | 'ORDERS_PARTIALLY_FULFILLED'
  | 'ORDERS_RISK_ASSESSMENT_CHANGED'
  | 'ORDERS_SHOPIFY_PROTECT_ELIGIBILITY_CHANGED'
  | 'ORDERS_UPDATED'
  | 'ORDER_TRANSACTIONS_CREATE'
  | 'PAYMENT_SCHEDULES_DUE'
  | 'PAYMENT_TERMS_CREATE'
  | 'PAYMENT_TERMS_DELETE'
  | 'PAYMENT_TERMS_UPDATE'
  | 'PRODUCTS_CREATE'
  | 'PRODUCTS_DELETE'
  | 'PRODUCTS_UPDATE'
  | 'PRODUCT_FEEDS_CREATE'
  | 'PRODUCT_FEEDS_FULL_SYNC'
  | 'PRODUCT_FEEDS_FULL_SYNC_FINISH'
  | 'PRODUCT_FEEDS_INCREMENTAL_SYNC'
  | 'PRODUCT_FEEDS_UPDATE'
  | 'PRODUCT_LISTINGS_ADD'
  | 'PRODUCT_LISTINGS_REMOVE'
  | 'PRODUCT_LISTINGS_UPDATE'
  | 'PRODUCT_PUBLICATIONS_CREATE'
  | 'PRODUCT_PUBLICATIONS_DELETE'
  | 'PRODUCT_PUBLICATIONS_UPDATE'
  | 'PROFILES_CREATE'
  | 'PROFILES_DELETE'
  | 'PROFILES_UPDATE'
  | 'REFUNDS_CREATE'
  | 'RETURNS_APPROVE'
  | 'RETURNS_CANCEL'
  | 'RETURNS_CLOSE'
  | 'RETURNS_DECLINE'
  | 'RETURNS_PROCESS'
  | 'RETURNS_REOPEN'
  | 'RETURNS_REQUEST'
  | 'RETURNS_UPDATE'
  | 'REVERSE_DELIVERIES_ATTACH_DELIVERABLE'
  | 'REVERSE_FULFILLMENT_ORDERS_DISPOSE'
  | 'SCHEDULED_PRODUCT_LISTINGS_ADD'
  | 'SCHEDULED_PRODUCT_LISTINGS_REMOVE'
  | 'SCHEDULED_PRODUCT_LISTINGS_UPDATE'
  | 'SEGMENTS_CREATE'
  | 'SEGMENTS_DELETE'
  | 'SEGMENTS_UPDATE'
  | 'SELLING_PLAN_GROUPS_CREATE'
  | 'SELLING_PLAN_GROUPS_DELETE'
  | 'SELLING_PLAN_GROUPS_UPDATE'
  | 'SHIPPING_ADDRESSES_CREATE'
  | 'SHIPPING_ADDRESSES_UPDATE'
  | 'SHOP_UPDATE'
  | 'SUBSCRIPTION_BILLING_ATTEMPTS_CHALLENGED'
  | 'SUBSCRIPTION_BILLING_ATTEMPTS_FAILURE'
  | 'SUBSCRIPTION_BILLING_ATTEMPTS_SUCCESS'
  | 'SUBSCRIPTION_BILLING_CYCLES_SKIP'
  | 'SUBSCRIPTION_BILLING_CYCLES_UNSKIP'
  | 'SUBSCRIPTION_BILLING_CYCLE_EDITS_CREATE'
  | 'SUBSCRIPTION_BILLING_CYCLE_EDITS_DELETE'
  | 'SUBSCRIPTION_BILLING_CYCLE_EDITS_UPDATE'
  | 'SUBSCRIPTION_CONTRACTS_ACTIVATE'
  | 'SUBSCRIPTION_CONTRACTS_CANCEL'
  | 'SUBSCRIPTION_CONTRACTS_CREATE'
  | 'SUBSCRIPTION_CONTRACTS_EXPIRE'
  | 'SUBSCRIPTION_CONTRACTS_FAIL'
  | 'SUBSCRIPTION_CONTRACTS_PAUSE'
  | 'SUBSCRIPTION_CONTRACTS_UPDATE'
  | 'TAX_SERVICES_CREATE'
  | 'TAX_SERVICES_UPDATE'
  | 'TENDER_TRANSACTIONS_CREATE'
  | 'THEMES_CREATE'
  | 'THEMES_DELETE'
  | 'THEMES_PUBLISH'
  | 'THEMES_UPDATE'
  | 'VARIANTS_IN_STOCK'
  | 'VARIANTS_OUT_OF_STOCK';

export type MemberQueryVariables = Exact<{
  id: string;
  withMetafields: boolean;
  metafields?: ReadonlyArray<string> | string | null | undefined;
}>;


export type MemberQuery = { readonly customer: MemberFragment | null };

export type MemberFragment = (
  { readonly updatedAt: string, readonly metafields?: { readonly nodes: ReadonlyArray<MetafieldFragment> } }
  & CustomerFragment
);

export type MetafieldFragment = { readonly namespace: string, readonly key: string, readonly value: string };

export type CustomerFragment = { readonly id: string, readonly firstName: string | null, readonly lastName: string | null, readonly createdAt: string, readonly defaultEmailAddress: { readonly emailAddress: string } | null, readonly defaultPhoneNumber: { readonly phoneNumber: string } | null, readonly defaultAddress: { readonly name: string | null, readonly phone: string | null } | null };

export type ChangedMembersQueryVariables = Exact<{
  after?: string | null | undefined;
  withMetafields: boolean;
  metafields?: ReadonlyArray<string> | string | null | undefined;
}>;


export type ChangedMembersQuery = { readonly customers: { readonly nodes: ReadonlyArray<MemberFragment>, readonly pageInfo: PageFragment } };

export type PageFragment = { readonly hasNextPage: boolean, readonly endCursor: string | null };

export type CustomerByEmailQueryVariables = Exact<{
  email: string;
}>;


export type CustomerByEmailQuery = { readonly customerByIdentifier: { readonly id: string } | null };

export type CustomerBalanceQueryVariables = Exact<{
  id: string;
  namespace: string;
}>;


export type CustomerBalanceQuery = { readonly customer: { readonly metafields: { readonly nodes: ReadonlyArray<{ readonly key: string, readonly value: string }> } } | null };

export type SetMetafieldsMutationVariables = Exact<{
  metafields: ReadonlyArray<MetafieldsSetInput> | MetafieldsSetInput;
}>;


export type SetMetafieldsMutation = { readonly metafieldsSet: { readonly userErrors: ReadonlyArray<{ readonly field: ReadonlyArray<string> | null, readonly code: MetafieldsSetUserErrorCode | null }> } | null };

export type DeleteMetafieldsMutationVariables = Exact<{
  metafields: ReadonlyArray<MetafieldIdentifierInput> | MetafieldIdentifierInput;
}>;


export type DeleteMetafieldsMutation = { readonly metafieldsDelete: { readonly userErrors: ReadonlyArray<{ readonly field: ReadonlyArray<string> | null }> } | null };

export type CustomerDefinitionsQueryVariables = Exact<{
  namespace: string;
}>;


export type CustomerDefinitionsQuery = { readonly metafieldDefinitions: { readonly nodes: ReadonlyArray<{ readonly key: string, readonly type: { readonly name: string }, readonly access: { readonly storefront: MetafieldStorefrontAccess | null, readonly customerAccount: MetafieldCustomerAccountAccess } }> } };

export type CreateDefinitionMutationVariables = Exact<{
  definition: MetafieldDefinitionInput;
}>;


export type CreateDefinitionMutation = { readonly metafieldDefinitionCreate: { readonly userErrors: ReadonlyArray<{ readonly field: ReadonlyArray<string> | null, readonly code: MetafieldDefinitionCreateUserErrorCode | null }> } | null };

export type OpenDefinitionMutationVariables = Exact<{
  definition: MetafieldDefinitionUpdateInput;
}>;


export type OpenDefinitionMutation = { readonly metafieldDefinitionUpdate: { readonly userErrors: ReadonlyArray<{ readonly field: ReadonlyArray<string> | null, readonly code: MetafieldDefinitionUpdateUserErrorCode | null }> } | null };

export type CouponQueryVariables = Exact<{
  code: string;
  search: string;
}>;


export type CouponQuery = { readonly codeDiscountNodeByCode: { readonly id: string, readonly codeDiscount:
      | (
        { readonly __typename: 'DiscountCodeApp', readonly codes: RedeemCodesFragment }
        & AppDiscountFragment
      )
      | (
        { readonly __typename: 'DiscountCodeBasic', readonly codes: RedeemCodesFragment }
        & BasicDiscountFragment
      )
      | (
        { readonly __typename: 'DiscountCodeBxgy', readonly codes: RedeemCodesFragment }
        & BxgyDiscountFragment
      )
      | (
        { readonly __typename: 'DiscountCodeFreeShipping', readonly codes: RedeemCodesFragment }
        & FreeShippingDiscountFragment
      )
     } | null };

export type BasicDiscountFragment = { readonly status: DiscountStatus, readonly createdAt: string, readonly updatedAt: string, readonly startsAt: string, readonly endsAt: string | null, readonly usageLimit: number | null, readonly appliesOncePerCustomer: boolean, readonly tags: ReadonlyArray<string>, readonly context:
    | DiscountAudience_DiscountBuyerSelectionAll_Fragment
    | DiscountAudience_DiscountCustomerSegments_Fragment
    | DiscountAudience_DiscountCustomers_Fragment
    | DiscountAudience_DiscountMarkets_Fragment
  , readonly customerGets: { readonly value:
      | { readonly __typename: 'DiscountAmount', readonly amount: { readonly amount: string } }
      | { readonly __typename: 'DiscountOnQuantity' }
      | { readonly __typename: 'DiscountPercentage', readonly percentage: number }
     } };

export type BxgyDiscountFragment = { readonly status: DiscountStatus, readonly createdAt: string, readonly updatedAt: string, readonly startsAt: string, readonly endsAt: string | null, readonly usageLimit: number | null, readonly appliesOncePerCustomer: boolean, readonly tags: ReadonlyArray<string>, readonly context:
    | DiscountAudience_DiscountBuyerSelectionAll_Fragment
    | DiscountAudience_DiscountCustomerSegments_Fragment
    | DiscountAudience_DiscountCustomers_Fragment
    | DiscountAudience_DiscountMarkets_Fragment
   };

export type FreeShippingDiscountFragment = { readonly status: DiscountStatus, readonly createdAt: string, readonly updatedAt: string, readonly startsAt: string, readonly endsAt: string | null, readonly usageLimit: number | null, readonly appliesOncePerCustomer: boolean, readonly tags: ReadonlyArray<string>, readonly context:
    | DiscountAudience_DiscountBuyerSelectionAll_Fragment
    | DiscountAudience_DiscountCustomerSegments_Fragment
    | DiscountAudience_DiscountCustomers_Fragment
    | DiscountAudience_DiscountMarkets_Fragment
   };

export type AppDiscountFragment = { readonly status: DiscountStatus, readonly createdAt: string, readonly updatedAt: string, readonly startsAt: string, readonly endsAt: string | null, readonly usageLimit: number | null, readonly appliesOncePerCustomer: boolean, readonly tags: ReadonlyArray<string>, readonly context:
    | DiscountAudience_DiscountBuyerSelectionAll_Fragment
    | DiscountAudience_DiscountCustomerSegments_Fragment
    | DiscountAudience_DiscountCustomers_Fragment
    | DiscountAudience_DiscountMarkets_Fragment
   };

type DiscountAudience_DiscountBuyerSelectionAll_Fragment = { readonly __typename: 'DiscountBuyerSelectionAll' };

type DiscountAudience_DiscountCustomerSegments_Fragment = { readonly __typename: 'DiscountCustomerSegments' };

type DiscountAudience_DiscountCustomers_Fragment = { readonly __typename: 'DiscountCustomers', readonly customers: ReadonlyArray<CustomerFragment> };

type DiscountAudience_DiscountMarkets_Fragment = { readonly __typename: 'DiscountMarkets' };

export type DiscountAudienceFragment =
  | DiscountAudience_DiscountBuyerSelectionAll_Fragment
  | DiscountAudience_DiscountCustomerSegments_Fragment
  | DiscountAudience_DiscountCustomers_Fragment
  | DiscountAudience_DiscountMarkets_Fragment
;

export type RedeemCodesFragment = { readonly nodes: ReadonlyArray<{ readonly id: string, readonly code: string, readonly asyncUsageCount: number }>, readonly pageInfo: PageFragment };

export type DiscountQueryVariables = Exact<{
  codeNode: string;
  automaticNode: string;
  after?: string | null | undefined;
}>;


export type DiscountQuery = { readonly code:
    | { readonly id: string, readonly codeDiscount:
        | (
          { readonly __typename: 'DiscountCodeApp', readonly codes: RedeemCodesFragment }
          & AppDiscountFragment
        )
        | (
          { readonly __typename: 'DiscountCodeBasic', readonly codes: RedeemCodesFragment }
          & BasicDiscountFragment
        )
        | (
          { readonly __typename: 'DiscountCodeBxgy', readonly codes: RedeemCodesFragment }
          & BxgyDiscountFragment
        )
        | (
          { readonly __typename: 'DiscountCodeFreeShipping', readonly codes: RedeemCodesFragment }
          & FreeShippingDiscountFragment
        )
       }
    | Record<PropertyKey, never>
   | null, readonly automatic:
    | { readonly id: string }
    | Record<PropertyKey, never>
   | null };

export type ChangedDiscountsQueryVariables = Exact<{
  search: string;
  sortKey: DiscountSortKeys;
  after?: string | null | undefined;
}>;


export type ChangedDiscountsQuery = { readonly discountNodes: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly discount:
        | { readonly __typename: 'DiscountAutomaticApp' }
        | { readonly __typename: 'DiscountAutomaticBasic' }
        | { readonly __typename: 'DiscountAutomaticBxgy' }
        | { readonly __typename: 'DiscountAutomaticFreeShipping' }
        | (
          { readonly __typename: 'DiscountCodeApp', readonly codes: RedeemCodesFragment }
          & AppDiscountFragment
        )
        | (
          { readonly __typename: 'DiscountCodeBasic', readonly codes: RedeemCodesFragment }
          & BasicDiscountFragment
        )
        | (
          { readonly __typename: 'DiscountCodeBxgy', readonly codes: RedeemCodesFragment }
          & BxgyDiscountFragment
        )
        | (
          { readonly __typename: 'DiscountCodeFreeShipping', readonly codes: RedeemCodesFragment }
          & FreeShippingDiscountFragment
        )
       }>, readonly pageInfo: PageFragment } };

export type DiscountsCountQueryVariables = Exact<{
  search: string;
}>;


export type DiscountsCountQuery = { readonly discountNodesCount: { readonly count: number } | null };

export type CodeUsesQueryVariables = Exact<{
  ids: ReadonlyArray<string> | string;
}>;


export type CodeUsesQuery = { readonly nodes: ReadonlyArray<
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string, readonly codeDiscount:
        | { readonly __typename: 'DiscountCodeApp' }
        | { readonly __typename: 'DiscountCodeBasic', readonly asyncUsageCount: number }
        | { readonly __typename: 'DiscountCodeBxgy' }
        | { readonly __typename: 'DiscountCodeFreeShipping', readonly asyncUsageCount: number }
       }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
   | null> };

export type OrderCodesQueryVariables = Exact<{
  customer: string;
  after?: string | null | undefined;
}>;


export type OrderCodesQuery = { readonly customer: { readonly orders: { readonly nodes: ReadonlyArray<{ readonly createdAt: string, readonly discountCodes: ReadonlyArray<string> }>, readonly pageInfo: PageFragment } } | null };

export type ActiveRolloutsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type ActiveRolloutsQuery = { readonly rollouts: { readonly nodes: ReadonlyArray<{ readonly name: string, readonly effectiveTrafficAllocation: number, readonly startedAt: string | null, readonly schedule: { readonly concludeAt: string | null } | null, readonly treatments: ReadonlyArray<{ readonly split: number, readonly changes: { readonly nodes: ReadonlyArray<
            | { readonly __typename: 'RolloutDiscountActivateChange', readonly discount: { readonly id: string } | null }
            | { readonly __typename: 'RolloutDiscountExpireChange', readonly discount: { readonly id: string } | null }
          >, readonly pageInfo: PageFragment } }> }>, readonly pageInfo: PageFragment } };

export type RewardCodeQueryVariables = Exact<{
  code: string;
}>;


export type RewardCodeQuery = { readonly codeDiscountNodeByCode: { readonly id: string, readonly codeDiscount:
      | { readonly __typename: 'DiscountCodeApp' }
      | { readonly __typename: 'DiscountCodeBasic', readonly title: string, readonly tags: ReadonlyArray<string>, readonly context:
          | RewardAudience_DiscountBuyerSelectionAll_Fragment
          | RewardAudience_DiscountCustomerSegments_Fragment
          | RewardAudience_DiscountCustomers_Fragment
          | RewardAudience_DiscountMarkets_Fragment
         }
      | { readonly __typename: 'DiscountCodeBxgy' }
      | { readonly __typename: 'DiscountCodeFreeShipping', readonly title: string, readonly tags: ReadonlyArray<string>, readonly context:
          | RewardAudience_DiscountBuyerSelectionAll_Fragment
          | RewardAudience_DiscountCustomerSegments_Fragment
          | RewardAudience_DiscountCustomers_Fragment
          | RewardAudience_DiscountMarkets_Fragment
         }
     } | null };

type RewardAudience_DiscountBuyerSelectionAll_Fragment = { readonly __typename: 'DiscountBuyerSelectionAll' };

type RewardAudience_DiscountCustomerSegments_Fragment = { readonly __typename: 'DiscountCustomerSegments' };

type RewardAudience_DiscountCustomers_Fragment = { readonly __typename: 'DiscountCustomers', readonly customers: ReadonlyArray<{ readonly id: string }> };

type RewardAudience_DiscountMarkets_Fragment = { readonly __typename: 'DiscountMarkets' };

export type RewardAudienceFragment =
  | RewardAudience_DiscountBuyerSelectionAll_Fragment
  | RewardAudience_DiscountCustomerSegments_Fragment
  | RewardAudience_DiscountCustomers_Fragment
  | RewardAudience_DiscountMarkets_Fragment
;

export type CreateBasicCodeMutationVariables = Exact<{
  discount: DiscountCodeBasicInput;
}>;


export type CreateBasicCodeMutation = { readonly discountCodeBasicCreate: { readonly codeDiscountNode: { readonly id: string } | null, readonly userErrors: ReadonlyArray<{ readonly field: ReadonlyArray<string> | null, readonly code: DiscountErrorCode | null }> } | null };

export type CreateShippingCodeMutationVariables = Exact<{
  discount: DiscountCodeFreeShippingInput;
}>;


export type CreateShippingCodeMutation = { readonly discountCodeFreeShippingCreate: { readonly codeDiscountNode: { readonly id: string } | null, readonly userErrors: ReadonlyArray<{ readonly field: ReadonlyArray<string> | null, readonly code: DiscountErrorCode | null }> } | null };

export type DeleteCodeMutationVariables = Exact<{
  id: string;
}>;


export type DeleteCodeMutation = { readonly discountCodeDelete: { readonly deletedCodeDiscountId: string | null, readonly userErrors: ReadonlyArray<{ readonly field: ReadonlyArray<string> | null, readonly code: DiscountErrorCode | null }> } | null };

export type SendTriggerMutationVariables = Exact<{
  handle: string;
  payload: unknown;
}>;


export type SendTriggerMutation = { readonly flowTriggerReceive: { readonly userErrors: ReadonlyArray<{ readonly field: ReadonlyArray<string> | null }> } | null };

export type OrderQueryVariables = Exact<{
  id: string;
  withCard: boolean;
  withPayments: boolean;
  withDisputes: boolean;
  withLocation: boolean;
  withStaff: boolean;
  withLocalizedFields: boolean;
  withOrderMetafields: boolean;
  orderMetafields?: ReadonlyArray<string> | string | null | undefined;
  withCustomerMetafields: boolean;
  customerMetafields?: ReadonlyArray<string> | string | null | undefined;
}>;


export type OrderQuery = { readonly order: (
    { readonly lineItems: OrderLinesFragment, readonly discountApplications: OrderDiscountsFragment, readonly shippingLines: OrderShippingFragment }
    & OrderHeadFragment
    & OrderExtrasFragment
  ) | null };

export type OrderHeadFragment = { readonly id: string, readonly name: string, readonly createdAt: string, readonly processedAt: string, readonly updatedAt: string, readonly cancelledAt: string | null, readonly closedAt: string | null, readonly test: boolean, readonly sourceName: string | null, readonly currencyCode: CurrencyCode, readonly taxesIncluded: boolean, readonly displayFinancialStatus: OrderDisplayFinancialStatus | null, readonly displayFulfillmentStatus: OrderDisplayFulfillmentStatus, readonly email: string | null, readonly phone: string | null, readonly paymentGatewayNames: ReadonlyArray<string>, readonly fulfillments: ReadonlyArray<{ readonly status: FulfillmentStatus, readonly createdAt: string }>, readonly refunds: ReadonlyArray<{ readonly id: string, readonly createdAt: string | null, readonly processedAt: string }>, readonly currentSubtotalPriceSet: MoneyFragment, readonly currentTotalPriceSet: MoneyFragment, readonly currentShippingPriceSet: MoneyFragment, readonly totalOutstandingSet: MoneyFragment, readonly totalTipReceivedSet: MoneyFragment, readonly customAttributes: ReadonlyArray<{ readonly key: string, readonly value: string | null }>, readonly customer: CustomerFragment | null };

export type OrderExtrasFragment = { readonly customer: { readonly metafields?: { readonly nodes: ReadonlyArray<MetafieldFragment> } } | null, readonly metafields?: { readonly nodes: ReadonlyArray<MetafieldFragment> }, readonly localizedFields?: { readonly nodes: ReadonlyArray<{ readonly key: LocalizedFieldKey, readonly value: string }> }, readonly disputes?: ReadonlyArray<{ readonly status: DisputeStatus }>, readonly retailLocation?: { readonly legacyResourceId: string, readonly name: string } | null, readonly staffMember?: StaffFragment | null, readonly transactions?: ReadonlyArray<{ readonly kind: OrderTransactionKind, readonly status: OrderTransactionStatus, readonly processedAt: string | null, readonly paymentDetails?:
      | { readonly company: string | null, readonly paymentMethodName: string | null }
      | Record<PropertyKey, never>
     | null }> };

export type OrderLinesFragment = { readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string, readonly name: string, readonly vendor: string | null, readonly isGiftCard: boolean, readonly quantity: number, readonly currentQuantity: number, readonly product: { readonly id: string } | null, readonly originalUnitPriceSet: MoneyFragment, readonly discountAllocations: ReadonlyArray<{ readonly allocatedAmountSet: MoneyFragment }>, readonly taxLines: ReadonlyArray<{ readonly priceSet: MoneyFragment }>, readonly staffMember?: StaffFragment | null }>, readonly pageInfo: PageFragment };

export type OrderDiscountsFragment = { readonly nodes: ReadonlyArray<
    | { readonly __typename: 'AutomaticDiscountApplication', readonly index: number }
    | { readonly __typename: 'DiscountCodeApplication', readonly code: string, readonly index: number }
    | { readonly __typename: 'ManualDiscountApplication', readonly index: number }
    | { readonly __typename: 'ScriptDiscountApplication', readonly index: number }
  >, readonly pageInfo: PageFragment };

export type OrderShippingFragment = { readonly nodes: ReadonlyArray<{ readonly originalPriceSet: MoneyFragment, readonly discountedPriceSet: MoneyFragment, readonly discountAllocations: ReadonlyArray<{ readonly allocatedAmountSet: MoneyFragment }>, readonly taxLines: ReadonlyArray<{ readonly priceSet: MoneyFragment }> }>, readonly pageInfo: PageFragment };

export type StaffFragment = { readonly id: string, readonly name: string };

export type MoneyFragment = { readonly shopMoney: { readonly amount: string } };

export type OrderLinesQueryVariables = Exact<{
  id: string;
  after: string;
  withStaff: boolean;
}>;


export type OrderLinesQuery = { readonly order: { readonly updatedAt: string, readonly lineItems: OrderLinesFragment } | null };

export type OrderDiscountsQueryVariables = Exact<{
  id: string;
  after: string;
}>;


export type OrderDiscountsQuery = { readonly order: { readonly updatedAt: string, readonly discountApplications: OrderDiscountsFragment } | null };

export type OrderShippingQueryVariables = Exact<{
  id: string;
  after: string;
}>;


export type OrderShippingQuery = { readonly order: { readonly updatedAt: string, readonly shippingLines: OrderShippingFragment } | null };

export type OrderPaymentsQueryVariables = Exact<{
  id: string;
}>;


export type OrderPaymentsQuery = { readonly order: { readonly updatedAt: string, readonly transactions: ReadonlyArray<{ readonly id: string, readonly kind: OrderTransactionKind, readonly status: OrderTransactionStatus, readonly gateway: string | null, readonly processedAt: string | null, readonly parentTransaction: { readonly gateway: string | null } | null, readonly amountSet: MoneyFragment }> } | null };

export type CreditAccountsQueryVariables = Exact<{
  id: string;
}>;


export type CreditAccountsQuery = { readonly customer: { readonly storeCreditAccounts: { readonly nodes: ReadonlyArray<{ readonly id: string }> } } | null };

export type CreditHistoryQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
}>;


export type CreditHistoryQuery = { readonly storeCreditAccount: { readonly balance: { readonly currencyCode: CurrencyCode }, readonly transactions: { readonly nodes: ReadonlyArray<
        | { readonly __typename: 'StoreCreditAccountCreditTransaction', readonly id: string, readonly expiresAt: string | null, readonly createdAt: string, readonly event: StoreCreditSystemEvent, readonly origin: { readonly parentTransaction: { readonly gateway: string | null } | null } | null, readonly amount: { readonly amount: string }, readonly balanceAfterTransaction: { readonly amount: string } }
        | { readonly __typename: 'StoreCreditAccountDebitRevertTransaction', readonly createdAt: string, readonly event: StoreCreditSystemEvent, readonly debitTransaction: { readonly id: string }, readonly amount: { readonly amount: string }, readonly balanceAfterTransaction: { readonly amount: string } }
        | { readonly __typename: 'StoreCreditAccountDebitTransaction', readonly id: string, readonly createdAt: string, readonly event: StoreCreditSystemEvent, readonly origin: { readonly id: string } | null, readonly amount: { readonly amount: string }, readonly balanceAfterTransaction: { readonly amount: string } }
        | { readonly __typename: 'StoreCreditAccountExpirationTransaction', readonly createdAt: string, readonly event: StoreCreditSystemEvent, readonly creditTransaction: { readonly id: string }, readonly amount: { readonly amount: string }, readonly balanceAfterTransaction: { readonly amount: string } }
      >, readonly pageInfo: PageFragment } } | null };

export type OrderAgreementsQueryVariables = Exact<{
  id: string;
  afterAgreement?: string | null | undefined;
  afterSale?: string | null | undefined;
}>;


export type OrderAgreementsQuery = { readonly order: { readonly updatedAt: string, readonly agreements: { readonly nodes: ReadonlyArray<
        | { readonly happenedAt: string, readonly sales: { readonly nodes: ReadonlyArray<
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly lineItem: { readonly id: string }, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly lineItem: { readonly id: string }, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly lineItem: { readonly id: string }, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
            >, readonly pageInfo: PageFragment } }
        | { readonly happenedAt: string, readonly sales: { readonly nodes: ReadonlyArray<
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly lineItem: { readonly id: string }, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly lineItem: { readonly id: string }, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly lineItem: { readonly id: string }, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
            >, readonly pageInfo: PageFragment } }
        | { readonly happenedAt: string, readonly refund: { readonly id: string }, readonly sales: { readonly nodes: ReadonlyArray<
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly lineItem: { readonly id: string }, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly lineItem: { readonly id: string }, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly lineItem: { readonly id: string }, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
            >, readonly pageInfo: PageFragment } }
        | { readonly happenedAt: string, readonly sales: { readonly nodes: ReadonlyArray<
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly lineItem: { readonly id: string }, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly lineItem: { readonly id: string }, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly lineItem: { readonly id: string }, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
              | { readonly lineType: SaleLineType, readonly quantity: number | null, readonly totalAmount: MoneyFragment, readonly totalTaxAmount: MoneyFragment }
            >, readonly pageInfo: PageFragment } }
      >, readonly pageInfo: PageFragment } } | null };

export type RefundQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
}>;


export type RefundQuery = { readonly refund: { readonly order: { readonly updatedAt: string, readonly totalReceivedSet: MoneyFragment }, readonly refundLineItems: { readonly nodes: ReadonlyArray<{ readonly quantity: number, readonly lineItem: { readonly id: string }, readonly subtotalSet: MoneyFragment, readonly totalTaxSet: MoneyFragment }>, readonly pageInfo: PageFragment }, readonly refundShippingLines: { readonly nodes: ReadonlyArray<{ readonly subtotalAmountSet: MoneyFragment, readonly taxAmountSet: MoneyFragment }> }, readonly transactions: { readonly nodes: ReadonlyArray<{ readonly kind: OrderTransactionKind, readonly status: OrderTransactionStatus, readonly gateway: string | null, readonly parentTransaction: { readonly gateway: string | null } | null, readonly amountSet: MoneyFragment }> }, readonly duties: ReadonlyArray<{ readonly amountSet: MoneyFragment }> | null, readonly orderAdjustments: { readonly nodes: ReadonlyArray<{ readonly amountSet: MoneyFragment, readonly taxAmountSet: MoneyFragment }> } } | null };

export type ChangedOrdersQueryVariables = Exact<{
  search: string;
  sortKey: OrderSortKeys;
  after?: string | null | undefined;
  withStaff: boolean;
}>;


export type ChangedOrdersQuery = { readonly orders: { readonly nodes: ReadonlyArray<(
      { readonly lineItems: OrderLinesFragment, readonly discountApplications: OrderDiscountsFragment, readonly shippingLines: OrderShippingFragment }
      & OrderHeadFragment
    )>, readonly pageInfo: PageFragment } };

export type ChangedOrdersWithExtrasQueryVariables = Exact<{
  search: string;
  sortKey: OrderSortKeys;
  after?: string | null | undefined;
  withCard: boolean;
  withPayments: boolean;
  withDisputes: boolean;
  withLocation: boolean;
  withStaff: boolean;
  withLocalizedFields: boolean;
  withOrderMetafields: boolean;
  orderMetafields?: ReadonlyArray<string> | string | null | undefined;
  withCustomerMetafields: boolean;
  customerMetafields?: ReadonlyArray<string> | string | null | undefined;
}>;


export type ChangedOrdersWithExtrasQuery = { readonly orders: { readonly nodes: ReadonlyArray<(
      { readonly lineItems: OrderLinesFragment, readonly discountApplications: OrderDiscountsFragment, readonly shippingLines: OrderShippingFragment }
      & OrderHeadFragment
      & OrderExtrasFragment
    )>, readonly pageInfo: PageFragment } };

export type FindOrdersQueryVariables = Exact<{
  search: string;
}>;


export type FindOrdersQuery = { readonly orders: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string }> } };

export type EntityNamesQueryVariables = Exact<{
  ids: ReadonlyArray<string> | string;
}>;


export type EntityNamesQuery = { readonly nodes: ReadonlyArray<
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly name: string, readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string, readonly name: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
   | null> };

export type OrdersCountQueryVariables = Exact<{
  search: string;
}>;


export type OrdersCountQuery = { readonly ordersCount: { readonly count: number } | null };

export type ProductQueryVariables = Exact<{
  id: string;
}>;


export type ProductQuery = { readonly product: ProductBodyFragment | null };

export type ProductBodyFragment = { readonly id: string, readonly title: string, readonly handle: string, readonly status: ProductStatus, readonly vendor: string, readonly productType: string, readonly updatedAt: string, readonly category: { readonly id: string, readonly fullName: string } | null, readonly priceRangeV2: { readonly minVariantPrice: { readonly amount: string } }, readonly media: { readonly nodes: ReadonlyArray<
      | { readonly image: { readonly url: string } | null }
      | Record<PropertyKey, never>
    > }, readonly featuredMedia:
    | { readonly preview: { readonly image: { readonly url: string } | null } | null }
    | { readonly preview: { readonly image: { readonly url: string } | null } | null }
    | { readonly preview: { readonly image: { readonly url: string } | null } | null }
    | { readonly preview: { readonly image: { readonly url: string } | null } | null }
   | null };

export type ProductPricesQueryVariables = Exact<{
  id: string;
}>;


export type ProductPricesQuery = { readonly product: { readonly status: ProductStatus, readonly priceRangeV2: { readonly minVariantPrice: { readonly amount: string }, readonly maxVariantPrice: { readonly amount: string } } } | null };

export type ProductEventQueryVariables = Exact<{
  productId: string;
}>;


export type ProductEventQuery = { readonly product: ProductBodyFragment | null };

export type ChangedProductsQueryVariables = Exact<{
  search: string;
  sortKey: ProductSortKeys;
  after?: string | null | undefined;
}>;


export type ChangedProductsQuery = { readonly products: { readonly nodes: ReadonlyArray<ProductBodyFragment>, readonly pageInfo: PageFragment } };

export type FindProductsQueryVariables = Exact<{
  search: string;
}>;


export type FindProductsQuery = { readonly products: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly title: string }> } };

export type ProductsCountQueryVariables = Exact<{
  search: string;
}>;


export type ProductsCountQuery = { readonly productsCount: { readonly count: number } | null };

export type InstalledAppQueryVariables = Exact<{ [key: string]: never; }>;


export type InstalledAppQuery = { readonly currentAppInstallation: { readonly app: { readonly developerType: AppDeveloperType } } };

export type AccessScopesQueryVariables = Exact<{ [key: string]: never; }>;


export type AccessScopesQuery = { readonly currentAppInstallation: { readonly accessScopes: ReadonlyArray<{ readonly handle: string }> } };

export type ShopCurrencyQueryVariables = Exact<{ [key: string]: never; }>;


export type ShopCurrencyQuery = { readonly shop: { readonly currencyCode: CurrencyCode } };

export type CustomerAccountsQueryVariables = Exact<{ [key: string]: never; }>;


export type CustomerAccountsQuery = { readonly shop: { readonly customerAccountsV2: { readonly customerAccountsVersion: CustomerAccountsVersion } } };

export type StillThereQueryVariables = Exact<{
  ids: ReadonlyArray<string> | string;
}>;


export type StillThereQuery = { readonly nodes: ReadonlyArray<
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
    | { readonly id: string }
   | null> };

export type CreditStoreCreditMutationVariables = Exact<{
  id: string;
  creditInput: StoreCreditAccountCreditInput;
}>;


export type CreditStoreCreditMutation = { readonly storeCreditAccountCredit: { readonly storeCreditAccountTransaction: { readonly id: string, readonly expiresAt: string | null } | null, readonly userErrors: ReadonlyArray<{ readonly field: ReadonlyArray<string> | null, readonly code: StoreCreditAccountCreditUserErrorCode | null }> } | null };

export type StoreCreditShopQueryVariables = Exact<{ [key: string]: never; }>;


export type StoreCreditShopQuery = { readonly shop: { readonly currencyCode: CurrencyCode }, readonly storeCreditConfiguration: { readonly storeCreditEnabled: boolean } };

export type StoreCreditAccountsQueryVariables = Exact<{
  id: string;
}>;


export type StoreCreditAccountsQuery = { readonly storeCreditConfiguration: { readonly storeCreditEnabled: boolean }, readonly customer: { readonly storeCreditAccounts: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly balance: { readonly currencyCode: CurrencyCode }, readonly transactions: StoreCreditsFragment }> } } | null };

export type StoreCreditsFragment = { readonly nodes: ReadonlyArray<
    | { readonly __typename: 'StoreCreditAccountCreditTransaction', readonly id: string, readonly expiresAt: string | null, readonly createdAt: string, readonly event: StoreCreditSystemEvent, readonly amount: { readonly amount: string } }
    | { readonly __typename: 'StoreCreditAccountDebitRevertTransaction', readonly createdAt: string, readonly event: StoreCreditSystemEvent, readonly amount: { readonly amount: string } }
    | { readonly __typename: 'StoreCreditAccountDebitTransaction', readonly createdAt: string, readonly event: StoreCreditSystemEvent, readonly amount: { readonly amount: string } }
    | { readonly __typename: 'StoreCreditAccountExpirationTransaction', readonly createdAt: string, readonly event: StoreCreditSystemEvent, readonly amount: { readonly amount: string } }
  >, readonly pageInfo: PageFragment };

export type MoreStoreCreditsQueryVariables = Exact<{
  id: string;
  after: string;
}>;


export type MoreStoreCreditsQuery = { readonly storeCreditAccount: { readonly transactions: StoreCreditsFragment } | null };

export type WebhookSubscriptionsQueryVariables = Exact<{
  after?: string | null | undefined;
}>;


export type WebhookSubscriptionsQuery = { readonly webhookSubscriptions: { readonly nodes: ReadonlyArray<SubscriptionFragment>, readonly pageInfo: PageFragment } };

export type SubscriptionFragment = { readonly id: string, readonly topic: WebhookSubscriptionTopic, readonly uri: string, readonly format: WebhookSubscriptionFormat, readonly filter: string | null, readonly includeFields: ReadonlyArray<string>, readonly metafieldNamespaces: ReadonlyArray<string>, readonly apiVersion: { readonly handle: string, readonly supported: boolean } };

export type CreateSubscriptionMutationVariables = Exact<{
  topic: WebhookSubscriptionTopic;
  subscription: WebhookSubscriptionInput;
}>;


export type CreateSubscriptionMutation = { readonly webhookSubscriptionCreate: { readonly webhookSubscription: SubscriptionFragment | null, readonly userErrors: ReadonlyArray<{ readonly field: ReadonlyArray<string> | null, readonly message: string }> } | null };

export type UpdateSubscriptionMutationVariables = Exact<{
  id: string;
  subscription: WebhookSubscriptionInput;
}>;


export type UpdateSubscriptionMutation = { readonly webhookSubscriptionUpdate: { readonly webhookSubscription: SubscriptionFragment | null, readonly userErrors: ReadonlyArray<{ readonly field: ReadonlyArray<string> | null, readonly message: string }> } | null };

export type DeleteSubscriptionMutationVariables = Exact<{
  id: string;
}>;


export type DeleteSubscriptionMutation = { readonly webhookSubscriptionDelete: { readonly deletedWebhookSubscriptionId: string | null, readonly userErrors: ReadonlyArray<{ readonly field: ReadonlyArray<string> | null, readonly message: string }> } | null };

export const memberDocument: AdminDocument<MemberQuery, MemberQueryVariables> = {
  name: 'Member',
  kind: 'query',
  text: "query Member($id:ID!$withMetafields:Boolean!$metafields:[String!]){customer(id:$id){...Member}}fragment Member on Customer{...Customer updatedAt metafields(first:10 keys:$metafields)@include(if:$withMetafields){nodes{...Metafield}}}fragment Metafield on Metafield{namespace key value}fragment Customer on Customer{id firstName lastName createdAt defaultEmailAddress{emailAddress}defaultPhoneNumber{phoneNumber}defaultAddress{name phone}}",
};

export const changedMembersDocument: AdminDocument<ChangedMembersQuery, ChangedMembersQueryVariables> = {
  name: 'ChangedMembers',
  kind: 'query',
  text: "query ChangedMembers($after:String$withMetafields:Boolean!$metafields:[String!]){customers(first:50 after:$after sortKey:UPDATED_AT reverse:true){nodes{...Member}pageInfo{...Page}}}fragment Member on Customer{...Customer updatedAt metafields(first:10 keys:$metafields)@include(if:$withMetafields){nodes{...Metafield}}}fragment Metafield on Metafield{namespace key value}fragment Page on PageInfo{hasNextPage endCursor}fragment Customer on Customer{id firstName lastName createdAt defaultEmailAddress{emailAddress}defaultPhoneNumber{phoneNumber}defaultAddress{name phone}}",
};

export const customerByEmailDocument: AdminDocument<CustomerByEmailQuery, CustomerByEmailQueryVariables> = {
  name: 'CustomerByEmail',
  kind: 'query',
  text: "query CustomerByEmail($email:String!){customerByIdentifier(identifier:{emailAddress:$email}){id}}",
};

export const customerBalanceDocument: AdminDocument<CustomerBalanceQuery, CustomerBalanceQueryVariables> = {
  name: 'CustomerBalance',
  kind: 'query',
  text: "query CustomerBalance($id:ID!$namespace:String!){customer(id:$id){metafields(first:10 namespace:$namespace){nodes{key value}}}}",
};

export const setMetafieldsDocument: AdminDocument<SetMetafieldsMutation, SetMetafieldsMutationVariables> = {
  name: 'SetMetafields',
  kind: 'mutation',
  text: "mutation SetMetafields($metafields:[MetafieldsSetInput!]!){metafieldsSet(metafields:$metafields){userErrors{field code}}}",
};

export const deleteMetafieldsDocument: AdminDocument<DeleteMetafieldsMutation, DeleteMetafieldsMutationVariables> = {
  name: 'DeleteMetafields',
  kind: 'mutation',
  text: "mutation DeleteMetafields($metafields:[MetafieldIdentifierInput!]!){metafieldsDelete(metafields:$metafields){userErrors{field}}}",
};

export const customerDefinitionsDocument: AdminDocument<CustomerDefinitionsQuery, CustomerDefinitionsQueryVariables> = {
  name: 'CustomerDefinitions',
  kind: 'query',
  text: "query CustomerDefinitions($namespace:String!){metafieldDefinitions(first:50 ownerType:CUSTOMER namespace:$namespace){nodes{key type{name}access{storefront customerAccount}}}}",
};

export const createDefinitionDocument: AdminDocument<CreateDefinitionMutation, CreateDefinitionMutationVariables> = {
  name: 'CreateDefinition',
  kind: 'mutation',
  text: "mutation CreateDefinition($definition:MetafieldDefinitionInput!){metafieldDefinitionCreate(definition:$definition){userErrors{field code}}}",
};

export const openDefinitionDocument: AdminDocument<OpenDefinitionMutation, OpenDefinitionMutationVariables> = {
  name: 'OpenDefinition',
  kind: 'mutation',
  text: "mutation OpenDefinition($definition:MetafieldDefinitionUpdateInput!){metafieldDefinitionUpdate(definition:$definition){userErrors{field code}}}",
};

export const couponDocument: AdminDocument<CouponQuery, CouponQueryVariables> = {
  name: 'Coupon',
  kind: 'query',
  text: "query Coupon($code:String!$search:String!){codeDiscountNodeByCode(code:$code){id codeDiscount{__typename ...on DiscountCodeBasic{...BasicDiscount codes(first:10 query:$search){...RedeemCodes}}...on DiscountCodeBxgy{...BxgyDiscount codes(first:10 query:$search){...RedeemCodes}}...on DiscountCodeFreeShipping{...FreeShippingDiscount codes(first:10 query:$search){...RedeemCodes}}...on DiscountCodeApp{...AppDiscount codes(first:10 query:$search){...RedeemCodes}}}}}fragment BasicDiscount on DiscountCodeBasic{status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags context{...DiscountAudience}customerGets{value{__typename ...on DiscountAmount{amount{amount}}...on DiscountPercentage{percentage}}}}fragment BxgyDiscount on DiscountCodeBxgy{status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags context{...DiscountAudience}}fragment FreeShippingDiscount on DiscountCodeFreeShipping{status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags context{...DiscountAudience}}fragment AppDiscount on DiscountCodeApp{status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags context{...DiscountAudience}}fragment DiscountAudience on DiscountContext{__typename ...on DiscountCustomers{customers{...Customer}}}fragment RedeemCodes on DiscountRedeemCodeConnection{nodes{id code asyncUsageCount}pageInfo{...Page}}fragment Page on PageInfo{hasNextPage endCursor}fragment Customer on Customer{id firstName lastName createdAt defaultEmailAddress{emailAddress}defaultPhoneNumber{phoneNumber}defaultAddress{name phone}}",
};

export const discountDocument: AdminDocument<DiscountQuery, DiscountQueryVariables> = {
  name: 'Discount',
  kind: 'query',
  text: "query Discount($codeNode:ID!$automaticNode:ID!$after:String){code:node(id:$codeNode){...on DiscountCodeNode{id codeDiscount{__typename ...on DiscountCodeBasic{...BasicDiscount codes(first:250 after:$after){...RedeemCodes}}...on DiscountCodeBxgy{...BxgyDiscount codes(first:250 after:$after){...RedeemCodes}}...on DiscountCodeFreeShipping{...FreeShippingDiscount codes(first:250 after:$after){...RedeemCodes}}...on DiscountCodeApp{...AppDiscount codes(first:250 after:$after){...RedeemCodes}}}}}automatic:node(id:$automaticNode){...on DiscountAutomaticNode{id}}}fragment BasicDiscount on DiscountCodeBasic{status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags context{...DiscountAudience}customerGets{value{__typename ...on DiscountAmount{amount{amount}}...on DiscountPercentage{percentage}}}}fragment BxgyDiscount on DiscountCodeBxgy{status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags context{...DiscountAudience}}fragment FreeShippingDiscount on DiscountCodeFreeShipping{status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags context{...DiscountAudience}}fragment AppDiscount on DiscountCodeApp{status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags context{...DiscountAudience}}fragment DiscountAudience on DiscountContext{__typename ...on DiscountCustomers{customers{...Customer}}}fragment RedeemCodes on DiscountRedeemCodeConnection{nodes{id code asyncUsageCount}pageInfo{...Page}}fragment Page on PageInfo{hasNextPage endCursor}fragment Customer on Customer{id firstName lastName createdAt defaultEmailAddress{emailAddress}defaultPhoneNumber{phoneNumber}defaultAddress{name phone}}",
};

export const changedDiscountsDocument: AdminDocument<ChangedDiscountsQuery, ChangedDiscountsQueryVariables> = {
  name: 'ChangedDiscounts',
  kind: 'query',
  text: "query ChangedDiscounts($search:String!$sortKey:DiscountSortKeys!$after:String){discountNodes(first:10 after:$after sortKey:$sortKey query:$search){nodes{id discount{__typename ...on DiscountCodeBasic{...BasicDiscount codes(first:50){...RedeemCodes}}...on DiscountCodeBxgy{...BxgyDiscount codes(first:50){...RedeemCodes}}...on DiscountCodeFreeShipping{...FreeShippingDiscount codes(first:50){...RedeemCodes}}...on DiscountCodeApp{...AppDiscount codes(first:50){...RedeemCodes}}}}pageInfo{...Page}}}fragment BasicDiscount on DiscountCodeBasic{status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags context{...DiscountAudience}customerGets{value{__typename ...on DiscountAmount{amount{amount}}...on DiscountPercentage{percentage}}}}fragment BxgyDiscount on DiscountCodeBxgy{status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags context{...DiscountAudience}}fragment FreeShippingDiscount on DiscountCodeFreeShipping{status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags context{...DiscountAudience}}fragment AppDiscount on DiscountCodeApp{status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags context{...DiscountAudience}}fragment DiscountAudience on DiscountContext{__typename ...on DiscountCustomers{customers{...Customer}}}fragment RedeemCodes on DiscountRedeemCodeConnection{nodes{id code asyncUsageCount}pageInfo{...Page}}fragment Page on PageInfo{hasNextPage endCursor}fragment Customer on Customer{id firstName lastName createdAt defaultEmailAddress{emailAddress}defaultPhoneNumber{phoneNumber}defaultAddress{name phone}}",
};

export const discountsCountDocument: AdminDocument<DiscountsCountQuery, DiscountsCountQueryVariables> = {
  name: 'DiscountsCount',
  kind: 'query',
  text: "query DiscountsCount($search:String!){discountNodesCount(query:$search limit:null){count}}",
};

export const codeUsesDocument: AdminDocument<CodeUsesQuery, CodeUsesQueryVariables> = {
  name: 'CodeUses',
  kind: 'query',
  text: "query CodeUses($ids:[ID!]!){nodes(ids:$ids){id ...on DiscountCodeNode{codeDiscount{__typename ...on DiscountCodeBasic{asyncUsageCount}...on DiscountCodeFreeShipping{asyncUsageCount}}}}}",
};

export const orderCodesDocument: AdminDocument<OrderCodesQuery, OrderCodesQueryVariables> = {
  name: 'OrderCodes',
  kind: 'query',
  text: "query OrderCodes($customer:ID!$after:String){customer(id:$customer){orders(first:50 after:$after sortKey:CREATED_AT reverse:true){nodes{createdAt discountCodes}pageInfo{...Page}}}}fragment Page on PageInfo{hasNextPage endCursor}",
};

export const activeRolloutsDocument: AdminDocument<ActiveRolloutsQuery, ActiveRolloutsQueryVariables> = {
  name: 'ActiveRollouts',
  kind: 'query',
  text: "query ActiveRollouts($after:String){rollouts(first:2 after:$after query:\"status:ACTIVE\"){nodes{name effectiveTrafficAllocation startedAt schedule{concludeAt}treatments{split changes(first:100 query:\"type:RolloutDiscountActivateChange OR type:RolloutDiscountExpireChange\"){nodes{__typename ...on RolloutDiscountChange{discount{id}}}pageInfo{...Page}}}}pageInfo{...Page}}}fragment Page on PageInfo{hasNextPage endCursor}",
};

export const rewardCodeDocument: AdminDocument<RewardCodeQuery, RewardCodeQueryVariables> = {
  name: 'RewardCode',
  kind: 'query',
  text: "query RewardCode($code:String!){codeDiscountNodeByCode(code:$code){id codeDiscount{__typename ...on DiscountCodeBasic{title tags context{...RewardAudience}}...on DiscountCodeFreeShipping{title tags context{...RewardAudience}}}}}fragment RewardAudience on DiscountContext{__typename ...on DiscountCustomers{customers{id}}}",
};

export const createBasicCodeDocument: AdminDocument<CreateBasicCodeMutation, CreateBasicCodeMutationVariables> = {
  name: 'CreateBasicCode',
  kind: 'mutation',
  text: "mutation CreateBasicCode($discount:DiscountCodeBasicInput!){discountCodeBasicCreate(basicCodeDiscount:$discount){codeDiscountNode{id}userErrors{field code}}}",
};

export const createShippingCodeDocument: AdminDocument<CreateShippingCodeMutation, CreateShippingCodeMutationVariables> = {
  name: 'CreateShippingCode',
  kind: 'mutation',
  text: "mutation CreateShippingCode($discount:DiscountCodeFreeShippingInput!){discountCodeFreeShippingCreate(freeShippingCodeDiscount:$discount){codeDiscountNode{id}userErrors{field code}}}",
};

export const deleteCodeDocument: AdminDocument<DeleteCodeMutation, DeleteCodeMutationVariables> = {
  name: 'DeleteCode',
  kind: 'mutation',
  text: "mutation DeleteCode($id:ID!){discountCodeDelete(id:$id){deletedCodeDiscountId userErrors{field code}}}",
};

export const sendTriggerDocument: AdminDocument<SendTriggerMutation, SendTriggerMutationVariables> = {
  name: 'SendTrigger',
  kind: 'mutation',
  text: "mutation SendTrigger($handle:String!$payload:JSON!){flowTriggerReceive(handle:$handle payload:$payload){userErrors{field}}}",
};

export const orderDocument: AdminDocument<OrderQuery, OrderQueryVariables> = {
  name: 'Order',
  kind: 'query',
  text: "query Order($id:ID!$withCard:Boolean!$withPayments:Boolean!$withDisputes:Boolean!$withLocation:Boolean!$withStaff:Boolean!$withLocalizedFields:Boolean!$withOrderMetafields:Boolean!$orderMetafields:[String!]$withCustomerMetafields:Boolean!$customerMetafields:[String!]){order(id:$id){...OrderHead ...OrderExtras lineItems(first:50){...OrderLines}discountApplications(first:50){...OrderDiscounts}shippingLines(first:10){...OrderShipping}}}fragment OrderHead on Order{id name createdAt processedAt updatedAt cancelledAt closedAt test sourceName currencyCode taxesIncluded displayFinancialStatus displayFulfillmentStatus email phone paymentGatewayNames fulfillments{status createdAt}refunds{id createdAt processedAt}currentSubtotalPriceSet{...Money}currentTotalPriceSet{...Money}currentShippingPriceSet{...Money}totalOutstandingSet{...Money}totalTipReceivedSet{...Money}customAttributes{key value}customer{...Customer}}fragment OrderExtras on Order{customer{metafields(first:10 keys:$customerMetafields)@include(if:$withCustomerMetafields){nodes{...Metafield}}}metafields(first:10 keys:$orderMetafields)@include(if:$withOrderMetafields){nodes{...Metafield}}localizedFields(first:20)@include(if:$withLocalizedFields){nodes{key value}}disputes@include(if:$withDisputes){status}retailLocation@include(if:$withLocation){legacyResourceId name}staffMember@include(if:$withStaff){...Staff}transactions(first:20)@include(if:$withPayments){kind status processedAt paymentDetails@include(if:$withCard){...on CardPaymentDetails{company paymentMethodName}}}}fragment OrderLines on LineItemConnection{nodes{id title name vendor isGiftCard quantity currentQuantity product{id}originalUnitPriceSet{...Money}discountAllocations{allocatedAmountSet{...Money}}taxLines{priceSet{...Money}}staffMember@include(if:$withStaff){...Staff}}pageInfo{...Page}}fragment OrderDiscounts on DiscountApplicationConnection{nodes{__typename index ...on DiscountCodeApplication{code}}pageInfo{...Page}}fragment OrderShipping on ShippingLineConnection{nodes{originalPriceSet{...Money}discountedPriceSet{...Money}discountAllocations{allocatedAmountSet{...Money}}taxLines{priceSet{...Money}}}pageInfo{...Page}}fragment Staff on StaffMember{id name}fragment Metafield on Metafield{namespace key value}fragment Money on MoneyBag{shopMoney{amount}}fragment Page on PageInfo{hasNextPage endCursor}fragment Customer on Customer{id firstName lastName createdAt defaultEmailAddress{emailAddress}defaultPhoneNumber{phoneNumber}defaultAddress{name phone}}",
};

export const orderLinesDocument: AdminDocument<OrderLinesQuery, OrderLinesQueryVariables> = {
  name: 'OrderLines',
  kind: 'query',
  text: "query OrderLines($id:ID!$after:String!$withStaff:Boolean!){order(id:$id){updatedAt lineItems(first:80 after:$after){...OrderLines}}}fragment OrderLines on LineItemConnection{nodes{id title name vendor isGiftCard quantity currentQuantity product{id}originalUnitPriceSet{...Money}discountAllocations{allocatedAmountSet{...Money}}taxLines{priceSet{...Money}}staffMember@include(if:$withStaff){...Staff}}pageInfo{...Page}}fragment Staff on StaffMember{id name}fragment Money on MoneyBag{shopMoney{amount}}fragment Page on PageInfo{hasNextPage endCursor}",
};

export const orderDiscountsDocument: AdminDocument<OrderDiscountsQuery, OrderDiscountsQueryVariables> = {
  name: 'OrderDiscounts',
  kind: 'query',
  text: "query OrderDiscounts($id:ID!$after:String!){order(id:$id){updatedAt discountApplications(first:250 after:$after){...OrderDiscounts}}}fragment OrderDiscounts on DiscountApplicationConnection{nodes{__typename index ...on DiscountCodeApplication{code}}pageInfo{...Page}}fragment Page on PageInfo{hasNextPage endCursor}",
};

export const orderShippingDocument: AdminDocument<OrderShippingQuery, OrderShippingQueryVariables> = {
  name: 'OrderShipping',
  kind: 'query',
  text: "query OrderShipping($id:ID!$after:String!){order(id:$id){updatedAt shippingLines(first:50 after:$after){...OrderShipping}}}fragment OrderShipping on ShippingLineConnection{nodes{originalPriceSet{...Money}discountedPriceSet{...Money}discountAllocations{allocatedAmountSet{...Money}}taxLines{priceSet{...Money}}}pageInfo{...Page}}fragment Money on MoneyBag{shopMoney{amount}}fragment Page on PageInfo{hasNextPage endCursor}",
};

export const orderPaymentsDocument: AdminDocument<OrderPaymentsQuery, OrderPaymentsQueryVariables> = {
  name: 'OrderPayments',
  kind: 'query',
  text: "query OrderPayments($id:ID!){order(id:$id){updatedAt transactions(first:220){id kind status gateway parentTransaction{gateway}processedAt amountSet{...Money}}}}fragment Money on MoneyBag{shopMoney{amount}}",
};

export const creditAccountsDocument: AdminDocument<CreditAccountsQuery, CreditAccountsQueryVariables> = {
  name: 'CreditAccounts',
  kind: 'query',
  text: "query CreditAccounts($id:ID!){customer(id:$id){storeCreditAccounts(first:20){nodes{id}}}}",
};

export const creditHistoryDocument: AdminDocument<CreditHistoryQuery, CreditHistoryQueryVariables> = {
  name: 'CreditHistory',
  kind: 'query',
  text: "query CreditHistory($id:ID!$after:String){storeCreditAccount(id:$id){balance{currencyCode}transactions(first:100 after:$after sortKey:CREATED_AT){nodes{__typename createdAt event amount{amount}balanceAfterTransaction{amount}...on StoreCreditAccountCreditTransaction{id expiresAt origin{...on OrderTransaction{parentTransaction{gateway}}}}...on StoreCreditAccountDebitTransaction{id origin{...on OrderTransaction{id}}}...on StoreCreditAccountDebitRevertTransaction{debitTransaction{id}}...on StoreCreditAccountExpirationTransaction{creditTransaction{id}}}pageInfo{...Page}}}}fragment Page on PageInfo{hasNextPage endCursor}",
};

export const orderAgreementsDocument: AdminDocument<OrderAgreementsQuery, OrderAgreementsQueryVariables> = {
  name: 'OrderAgreements',
  kind: 'query',
  text: "query OrderAgreements($id:ID!$afterAgreement:String$afterSale:String){order(id:$id){updatedAt agreements(first:1 after:$afterAgreement){nodes{happenedAt ...on RefundAgreement{refund{id}}sales(first:100 after:$afterSale){nodes{lineType quantity totalAmount{...Money}totalTaxAmount{...Money}...on ProductSale{lineItem{id}}...on GiftCardSale{lineItem{id}}...on TipSale{lineItem{id}}}pageInfo{...Page}}}pageInfo{...Page}}}}fragment Money on MoneyBag{shopMoney{amount}}fragment Page on PageInfo{hasNextPage endCursor}",
};

export const refundDocument: AdminDocument<RefundQuery, RefundQueryVariables> = {
  name: 'Refund',
  kind: 'query',
  text: "query Refund($id:ID!$after:String){refund(id:$id){order{updatedAt totalReceivedSet{...Money}}refundLineItems(first:100 after:$after){nodes{quantity lineItem{id}subtotalSet{...Money}totalTaxSet{...Money}}pageInfo{...Page}}refundShippingLines(first:10){nodes{subtotalAmountSet{...Money}taxAmountSet{...Money}}}transactions(first:20){nodes{kind status gateway parentTransaction{gateway}amountSet{...Money}}}duties{amountSet{...Money}}orderAdjustments(first:20){nodes{amountSet{...Money}taxAmountSet{...Money}}}}}fragment Money on MoneyBag{shopMoney{amount}}fragment Page on PageInfo{hasNextPage endCursor}",
};

export const changedOrdersDocument: AdminDocument<ChangedOrdersQuery, ChangedOrdersQueryVariables> = {
  name: 'ChangedOrders',
  kind: 'query',
  text: "query ChangedOrders($search:String!$sortKey:OrderSortKeys!$after:String$withStaff:Boolean!){orders(first:7 after:$after sortKey:$sortKey query:$search){nodes{...OrderHead lineItems(first:7){...OrderLines}discountApplications(first:5){...OrderDiscounts}shippingLines(first:2){...OrderShipping}}pageInfo{...Page}}}fragment OrderHead on Order{id name createdAt processedAt updatedAt cancelledAt closedAt test sourceName currencyCode taxesIncluded displayFinancialStatus displayFulfillmentStatus email phone paymentGatewayNames fulfillments{status createdAt}refunds{id createdAt processedAt}currentSubtotalPriceSet{...Money}currentTotalPriceSet{...Money}currentShippingPriceSet{...Money}totalOutstandingSet{...Money}totalTipReceivedSet{...Money}customAttributes{key value}customer{...Customer}}fragment OrderLines on LineItemConnection{nodes{id title name vendor isGiftCard quantity currentQuantity product{id}originalUnitPriceSet{...Money}discountAllocations{allocatedAmountSet{...Money}}taxLines{priceSet{...Money}}staffMember@include(if:$withStaff){...Staff}}pageInfo{...Page}}fragment OrderDiscounts on DiscountApplicationConnection{nodes{__typename index ...on DiscountCodeApplication{code}}pageInfo{...Page}}fragment OrderShipping on ShippingLineConnection{nodes{originalPriceSet{...Money}discountedPriceSet{...Money}discountAllocations{allocatedAmountSet{...Money}}taxLines{priceSet{...Money}}}pageInfo{...Page}}fragment Staff on StaffMember{id name}fragment Money on MoneyBag{shopMoney{amount}}fragment Page on PageInfo{hasNextPage endCursor}fragment Customer on Customer{id firstName lastName createdAt defaultEmailAddress{emailAddress}defaultPhoneNumber{phoneNumber}defaultAddress{name phone}}",
};

export const changedOrdersWithExtrasDocument: AdminDocument<ChangedOrdersWithExtrasQuery, ChangedOrdersWithExtrasQueryVariables> = {
  name: 'ChangedOrdersWithExtras',
  kind: 'query',
  text: "query ChangedOrdersWithExtras($search:String!$sortKey:OrderSortKeys!$after:String$withCard:Boolean!$withPayments:Boolean!$withDisputes:Boolean!$withLocation:Boolean!$withStaff:Boolean!$withLocalizedFields:Boolean!$withOrderMetafields:Boolean!$orderMetafields:[String!]$withCustomerMetafields:Boolean!$customerMetafields:[String!]){orders(first:4 after:$after sortKey:$sortKey query:$search){nodes{...OrderHead ...OrderExtras lineItems(first:7){...OrderLines}discountApplications(first:5){...OrderDiscounts}shippingLines(first:2){...OrderShipping}}pageInfo{...Page}}}fragment OrderHead on Order{id name createdAt processedAt updatedAt cancelledAt closedAt test sourceName currencyCode taxesIncluded displayFinancialStatus displayFulfillmentStatus email phone paymentGatewayNames fulfillments{status createdAt}refunds{id createdAt processedAt}currentSubtotalPriceSet{...Money}currentTotalPriceSet{...Money}currentShippingPriceSet{...Money}totalOutstandingSet{...Money}totalTipReceivedSet{...Money}customAttributes{key value}customer{...Customer}}fragment OrderExtras on Order{customer{metafields(first:10 keys:$customerMetafields)@include(if:$withCustomerMetafields){nodes{...Metafield}}}metafields(first:10 keys:$orderMetafields)@include(if:$withOrderMetafields){nodes{...Metafield}}localizedFields(first:20)@include(if:$withLocalizedFields){nodes{key value}}disputes@include(if:$withDisputes){status}retailLocation@include(if:$withLocation){legacyResourceId name}staffMember@include(if:$withStaff){...Staff}transactions(first:20)@include(if:$withPayments){kind status processedAt paymentDetails@include(if:$withCard){...on CardPaymentDetails{company paymentMethodName}}}}fragment OrderLines on LineItemConnection{nodes{id title name vendor isGiftCard quantity currentQuantity product{id}originalUnitPriceSet{...Money}discountAllocations{allocatedAmountSet{...Money}}taxLines{priceSet{...Money}}staffMember@include(if:$withStaff){...Staff}}pageInfo{...Page}}fragment OrderDiscounts on DiscountApplicationConnection{nodes{__typename index ...on DiscountCodeApplication{code}}pageInfo{...Page}}fragment OrderShipping on ShippingLineConnection{nodes{originalPriceSet{...Money}discountedPriceSet{...Money}discountAllocations{allocatedAmountSet{...Money}}taxLines{priceSet{...Money}}}pageInfo{...Page}}fragment Staff on StaffMember{id name}fragment Metafield on Metafield{namespace key value}fragment Money on MoneyBag{shopMoney{amount}}fragment Page on PageInfo{hasNextPage endCursor}fragment Customer on Customer{id firstName lastName createdAt defaultEmailAddress{emailAddress}defaultPhoneNumber{phoneNumber}defaultAddress{name phone}}",
};

export const findOrdersDocument: AdminDocument<FindOrdersQuery, FindOrdersQueryVariables> = {
  name: 'FindOrders',
  kind: 'query',
  text: "query FindOrders($search:String!){orders(first:10 query:$search sortKey:CREATED_AT reverse:true){nodes{id name}}}",
};

export const entityNamesDocument: AdminDocument<EntityNamesQuery, EntityNamesQueryVariables> = {
  name: 'EntityNames',
  kind: 'query',
  text: "query EntityNames($ids:[ID!]!){nodes(ids:$ids){id ...on Order{name}...on Product{name:title}}}",
};

export const ordersCountDocument: AdminDocument<OrdersCountQuery, OrdersCountQueryVariables> = {
  name: 'OrdersCount',
  kind: 'query',
  text: "query OrdersCount($search:String!){ordersCount(query:$search limit:null){count}}",
};

export const productDocument: AdminDocument<ProductQuery, ProductQueryVariables> = {
  name: 'Product',
  kind: 'query',
  text: "query Product($id:ID!){product(id:$id){...ProductBody}}fragment ProductBody on Product{id title handle status vendor productType updatedAt category{id fullName}priceRangeV2{minVariantPrice{amount}}media(first:1 query:\"media_type:IMAGE\" sortKey:POSITION){nodes{...on MediaImage{image{url}}}}featuredMedia{preview{image{url}}}}",
};

export const productPricesDocument: AdminDocument<ProductPricesQuery, ProductPricesQueryVariables> = {
  name: 'ProductPrices',
  kind: 'query',
  text: "query ProductPrices($id:ID!){product(id:$id){status priceRangeV2{minVariantPrice{amount}maxVariantPrice{amount}}}}",
};

export const productEventDocument: AdminDocument<ProductEventQuery, ProductEventQueryVariables> = {
  name: 'ProductEvent',
  kind: 'query',
  text: "query ProductEvent($productId:ID!){product(id:$productId){...ProductBody}}fragment ProductBody on Product{id title handle status vendor productType updatedAt category{id fullName}priceRangeV2{minVariantPrice{amount}}media(first:1 query:\"media_type:IMAGE\" sortKey:POSITION){nodes{...on MediaImage{image{url}}}}featuredMedia{preview{image{url}}}}",
};

export const changedProductsDocument: AdminDocument<ChangedProductsQuery, ChangedProductsQueryVariables> = {
  name: 'ChangedProducts',
  kind: 'query',
  text: "query ChangedProducts($search:String!$sortKey:ProductSortKeys!$after:String){products(first:50 after:$after sortKey:$sortKey query:$search){nodes{...ProductBody}pageInfo{...Page}}}fragment Page on PageInfo{hasNextPage endCursor}fragment ProductBody on Product{id title handle status vendor productType updatedAt category{id fullName}priceRangeV2{minVariantPrice{amount}}media(first:1 query:\"media_type:IMAGE\" sortKey:POSITION){nodes{...on MediaImage{image{url}}}}featuredMedia{preview{image{url}}}}",
};

export const findProductsDocument: AdminDocument<FindProductsQuery, FindProductsQueryVariables> = {
  name: 'FindProducts',
  kind: 'query',
  text: "query FindProducts($search:String!){products(first:10 query:$search){nodes{id title}}}",
};

export const productsCountDocument: AdminDocument<ProductsCountQuery, ProductsCountQueryVariables> = {
  name: 'ProductsCount',
  kind: 'query',
  text: "query ProductsCount($search:String!){productsCount(query:$search limit:null){count}}",
};

export const installedAppDocument: AdminDocument<InstalledAppQuery, InstalledAppQueryVariables> = {
  name: 'InstalledApp',
  kind: 'query',
  text: "query InstalledApp{currentAppInstallation{app{developerType}}}",
};

export const accessScopesDocument: AdminDocument<AccessScopesQuery, AccessScopesQueryVariables> = {
  name: 'AccessScopes',
  kind: 'query',
  text: "query AccessScopes{currentAppInstallation{accessScopes{handle}}}",
};

export const shopCurrencyDocument: AdminDocument<ShopCurrencyQuery, ShopCurrencyQueryVariables> = {
  name: 'ShopCurrency',
  kind: 'query',
  text: "query ShopCurrency{shop{currencyCode}}",
};

export const customerAccountsDocument: AdminDocument<CustomerAccountsQuery, CustomerAccountsQueryVariables> = {
  name: 'CustomerAccounts',
  kind: 'query',
  text: "query CustomerAccounts{shop{customerAccountsV2{customerAccountsVersion}}}",
};

export const stillThereDocument: AdminDocument<StillThereQuery, StillThereQueryVariables> = {
  name: 'StillThere',
  kind: 'query',
  text: "query StillThere($ids:[ID!]!){nodes(ids:$ids){id}}",
};

export const creditStoreCreditDocument: AdminDocument<CreditStoreCreditMutation, CreditStoreCreditMutationVariables> = {
  name: 'CreditStoreCredit',
  kind: 'mutation',
  text: "mutation CreditStoreCredit($id:ID!$creditInput:StoreCreditAccountCreditInput!){storeCreditAccountCredit(id:$id creditInput:$creditInput){storeCreditAccountTransaction{id expiresAt}userErrors{field code}}}",
};

export const storeCreditShopDocument: AdminDocument<StoreCreditShopQuery, StoreCreditShopQueryVariables> = {
  name: 'StoreCreditShop',
  kind: 'query',
  text: "query StoreCreditShop{shop{currencyCode}storeCreditConfiguration{storeCreditEnabled}}",
};

export const storeCreditAccountsDocument: AdminDocument<StoreCreditAccountsQuery, StoreCreditAccountsQueryVariables> = {
  name: 'StoreCreditAccounts',
  kind: 'query',
  text: "query StoreCreditAccounts($id:ID!){storeCreditConfiguration{storeCreditEnabled}customer(id:$id){storeCreditAccounts(first:20){nodes{id balance{currencyCode}transactions(first:10 sortKey:CREATED_AT reverse:true){...StoreCredits}}}}}fragment Page on PageInfo{hasNextPage endCursor}fragment StoreCredits on StoreCreditAccountTransactionConnection{nodes{__typename createdAt event amount{amount}...on StoreCreditAccountCreditTransaction{id expiresAt}}pageInfo{...Page}}",
};

export const moreStoreCreditsDocument: AdminDocument<MoreStoreCreditsQuery, MoreStoreCreditsQueryVariables> = {
  name: 'MoreStoreCredits',
  kind: 'query',
  text: "query MoreStoreCredits($id:ID!$after:String!){storeCreditAccount(id:$id){transactions(first:100 after:$after sortKey:CREATED_AT reverse:true){...StoreCredits}}}fragment Page on PageInfo{hasNextPage endCursor}fragment StoreCredits on StoreCreditAccountTransactionConnection{nodes{__typename createdAt event amount{amount}...on StoreCreditAccountCreditTransaction{id expiresAt}}pageInfo{...Page}}",
};

export const webhookSubscriptionsDocument: AdminDocument<WebhookSubscriptionsQuery, WebhookSubscriptionsQueryVariables> = {
  name: 'WebhookSubscriptions',
  kind: 'query',
  text: "query WebhookSubscriptions($after:String){webhookSubscriptions(first:100 after:$after){nodes{...Subscription}pageInfo{...Page}}}fragment Page on PageInfo{hasNextPage endCursor}fragment Subscription on WebhookSubscription{id topic uri format filter includeFields metafieldNamespaces apiVersion{handle supported}}",
};

export const createSubscriptionDocument: AdminDocument<CreateSubscriptionMutation, CreateSubscriptionMutationVariables> = {
  name: 'CreateSubscription',
  kind: 'mutation',
  text: "mutation CreateSubscription($topic:WebhookSubscriptionTopic!$subscription:WebhookSubscriptionInput!){webhookSubscriptionCreate(topic:$topic webhookSubscription:$subscription){webhookSubscription{...Subscription}userErrors{field message}}}fragment Subscription on WebhookSubscription{id topic uri format filter includeFields metafieldNamespaces apiVersion{handle supported}}",
};

export const updateSubscriptionDocument: AdminDocument<UpdateSubscriptionMutation, UpdateSubscriptionMutationVariables> = {
  name: 'UpdateSubscription',
  kind: 'mutation',
  text: "mutation UpdateSubscription($id:ID!$subscription:WebhookSubscriptionInput!){webhookSubscriptionUpdate(id:$id webhookSubscription:$subscription){webhookSubscription{...Subscription}userErrors{field message}}}fragment Subscription on WebhookSubscription{id topic uri format filter includeFields metafieldNamespaces apiVersion{handle supported}}",
};

export const deleteSubscriptionDocument: AdminDocument<DeleteSubscriptionMutation, DeleteSubscriptionMutationVariables> = {
  name: 'DeleteSubscription',
  kind: 'mutation',
  text: "mutation DeleteSubscription($id:ID!){webhookSubscriptionDelete(id:$id){deletedWebhookSubscriptionId userErrors{field message}}}",
};

