//! The 23 messages of ITCH 5.0 as zero-copy views.
//!
//! Source: *Nasdaq TotalView-ITCH 5.0*, sections 1.1 to 1.8 (edition of 2026-02-19). One table gives
//! each message its type, length and fields by offset; accessors, lengths and field lists follow
//! from it. Every message starts with type (1), stock locate (2), tracking number (2) and a 48-bit
//! timestamp in ns since local midnight.

use super::field::{Alpha, Code, Field, FieldValue, Price4, Price8};

/// Bytes that every message starts with.
pub const PREFIX_LEN: usize = 11;

/// The longest message of the table, bytes.
pub const MESSAGE_LEN_MAX: usize = 50;

/// Why bytes are not a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// No byte at all.
    #[error("empty message")]
    Empty,
    /// A type that the specification does not list.
    #[error("unknown message type 0x{message_type:02x}")]
    UnknownType {
        /// The type byte.
        message_type: u8,
    },
    /// A known type with fewer bytes than its table says. (More bytes are accepted: Nasdaq grows
    /// messages at their end.)
    #[error("message of type {:?} has {actual} bytes, needs {expected}", *message_type as char)]
    TooShort {
        /// The type byte.
        message_type: u8,
        /// Bytes that the type needs.
        expected: usize,
        /// Bytes that were there.
        actual: usize,
    },
}

macro_rules! messages {
    ($(
        $(#[$doc:meta])*
        $name:ident $label:literal $type:literal $len:literal {
            $($(#[$field_doc:meta])* $field:ident: $field_type:ty = $offset:literal,)*
        }
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq)]
            pub struct $name<'a>(&'a [u8; $len]);

            impl<'a> $name<'a> {
                /// The type byte.
                pub const TYPE: u8 = $type;
                /// Bytes of the message.
                pub const LEN: usize = $len;

                /// A view of the message at the start of `bytes`; `None` where they are too few.
                /// The type byte is the caller's concern.
                #[inline(always)]
                #[must_use]
                pub fn view(bytes: &'a [u8]) -> Option<Self> {
                    bytes.first_chunk().map(Self)
                }

                /// The part that every message starts with.
                #[inline(always)]
                #[must_use]
                pub fn prefix(self) -> Prefix {
                    Prefix::read(self.0)
                }

                $(
                    $(#[$field_doc])*
                    #[inline(always)]
                    #[must_use]
                    pub fn $field(self) -> $field_type {
                        const END: usize = $offset + <$field_type as Field>::WIDTH;
                        const { assert!($offset >= PREFIX_LEN && END <= $len) };
                        <$field_type>::read(&self.0[$offset..END])
                    }
                )*

                /// Calls `visit` with the name and value of each field after the prefix, in wire
                /// order.
                pub fn fields(self, visit: &mut dyn FnMut(&'static str, FieldValue)) {
                    $(visit(stringify!($field), self.$field().value());)*
                }
            }

            impl std::fmt::Debug for $name<'_> {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    let mut shown = f.debug_struct(stringify!($name));
                    $(shown.field(stringify!($field), &self.$field());)*
                    shown.finish()
                }
            }
        )*

        /// Any message.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Message<'a> {
            $($(#[$doc])* $name($name<'a>),)*
        }

        impl<'a> Message<'a> {
            /// Every type byte with its name and length, in the order of the table.
            pub const TABLE: &'static [(u8, &'static str, usize)] = &[$(($type, $label, $len),)*];

            /// Decodes one message, zero-copy. Bytes beyond the type's length are ignored.
            ///
            /// # Errors
            /// [`DecodeError`] for no bytes, an unknown type or too few bytes.
            #[inline(always)]
            pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
                let Some(&message_type) = bytes.first() else { return Err(DecodeError::Empty) };
                match message_type {
                    $($type => match $name::view(bytes) {
                        Some(view) => Ok(Self::$name(view)),
                        None => Err(DecodeError::TooShort {
                            message_type, expected: $len, actual: bytes.len(),
                        }),
                    },)*
                    _ => Err(DecodeError::UnknownType { message_type }),
                }
            }

            /// The part that every message starts with.
            #[inline]
            #[must_use]
            pub fn prefix(self) -> Prefix {
                match self { $(Self::$name(message) => message.prefix(),)* }
            }

            /// The message's name in output.
            #[must_use]
            pub fn label(self) -> &'static str {
                match self { $(Self::$name(_) => $label,)* }
            }

            /// The type byte.
            #[must_use]
            pub fn message_type(self) -> u8 {
                match self { $(Self::$name(_) => $type,)* }
            }

            /// Calls `visit` with each field after the prefix, in wire order.
            pub fn fields(self, visit: &mut dyn FnMut(&'static str, FieldValue)) {
                match self { $(Self::$name(message) => message.fields(visit),)* }
            }
        }
    };
}

/// What every message starts with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix {
    /// Index of the stock for this day and market; 0 = concerns no single stock.
    pub stock_locate: u16,
    /// Nasdaq's internal tracking number.
    pub tracking_number: u16,
    /// ns since midnight in the market's local time, 48 bits.
    pub timestamp_ns: u64,
}

impl Prefix {
    #[inline(always)]
    fn read<const N: usize>(bytes: &[u8; N]) -> Self {
        // One load of 8 bytes from offset 3 holds the tracking number and the 48-bit stamp.
        let stamp = u64::read(&bytes[3..11]);
        Self {
            stock_locate: u16::read(&bytes[1..3]),
            tracking_number: u16::read(&bytes[3..5]),
            timestamp_ns: stamp & 0xffff_ffff_ffff,
        }
    }
}

/// Length of a message of `message_type`, bytes; `None` for an unknown type.
#[must_use]
pub const fn message_len(message_type: u8) -> Option<usize> {
    match LEN_BY_TYPE[message_type as usize] {
        0 => None,
        len => Some(len as usize),
    }
}

#[allow(clippy::cast_possible_truncation, reason = "no message is longer than 50 bytes")]
const LEN_BY_TYPE: [u8; 256] = {
    let mut table = [0; 256];
    let mut row = 0;
    while row < Message::TABLE.len() {
        let (message_type, _, len) = Message::TABLE[row];
        assert!(len <= MESSAGE_LEN_MAX);
        table[message_type as usize] = len as u8;
        row += 1;
    }
    table
};

messages! {
    /// `S`: start and end of messages, system hours and market hours (section 1.1).
    SystemEvent "system_event" b'S' 12 {
        /// `O` start of messages, `S` of system hours, `Q` of market hours; `M` end of market
        /// hours, `E` of system hours, `C` of messages.
        event_code: Code = 11,
    }
    /// `R`: defines a stock locate for the day (section 1.2.1).
    StockDirectory "stock_directory" b'R' 39 {
        /// Symbol.
        stock: Alpha<8> = 11,
        /// Listing market or tier.
        market_category: Code = 19,
        /// Financial status.
        financial_status_indicator: Code = 20,
        /// Shares in a round lot.
        round_lot_size: u32 = 21,
        /// `Y`: only round lots are accepted.
        round_lots_only: Code = 25,
        /// Security class.
        issue_classification: Code = 26,
        /// Security subtype.
        issue_sub_type: Alpha<2> = 27,
        /// `P` live, `T` test.
        authenticity: Code = 29,
        /// Short-sale threshold.
        short_sale_threshold_indicator: Code = 30,
        /// New issue.
        ipo_flag: Code = 31,
        /// Limit-up limit-down tier.
        luld_ref: Code = 32,
        /// Exchange-traded product.
        etp_flag: Code = 33,
        /// Leverage of the product.
        etp_leverage_factor: u32 = 34,
        /// `Y`: inverse product.
        inverse_indicator: Code = 38,
    }
    /// `H`: trading state of a stock (section 1.2.2).
    StockTradingAction "stock_trading_action" b'H' 25 {
        /// Symbol.
        stock: Alpha<8> = 11,
        /// `H` halted, `P` paused, `Q` quotation only, `T` trading.
        trading_state: Code = 19,
        /// Reserved.
        reserved: Code = 20,
        /// Reason code.
        reason: Alpha<4> = 21,
    }
    /// `Y`: short-sale price test (section 1.2.3).
    RegShoRestriction "reg_sho_restriction" b'Y' 20 {
        /// Symbol.
        stock: Alpha<8> = 11,
        /// `0` none, `1` intraday, `2` remains.
        reg_sho_action: Code = 19,
    }
    /// `L`: a market maker's position in a stock (section 1.2.4).
    MarketParticipantPosition "market_participant_position" b'L' 26 {
        /// Market participant.
        mpid: Alpha<4> = 11,
        /// Symbol.
        stock: Alpha<8> = 15,
        /// `Y`: primary market maker.
        primary_market_maker: Code = 23,
        /// Market maker's mode.
        market_maker_mode: Code = 24,
        /// Participant's state.
        market_participant_state: Code = 25,
    }
    /// `V`: decline levels of the market-wide circuit breaker (section 1.2.5.1).
    MwcbDeclineLevel "mwcb_decline_level" b'V' 35 {
        /// Level 1.
        level1: Price8 = 11,
        /// Level 2.
        level2: Price8 = 19,
        /// Level 3.
        level3: Price8 = 27,
    }
    /// `W`: a circuit breaker level was breached (section 1.2.5.2).
    MwcbStatus "mwcb_status" b'W' 12 {
        /// `1`, `2` or `3`.
        breached_level: Code = 11,
    }
    /// `K`: quoting period of a new issue (section 1.2.6).
    IpoQuotingPeriodUpdate "ipo_quoting_period_update" b'K' 28 {
        /// Symbol.
        stock: Alpha<8> = 11,
        /// Release time, seconds since midnight; 0 = cancelled.
        ipo_release_time_s: u32 = 19,
        /// `A` anticipated, `C` cancelled or postponed.
        ipo_release_qualifier: Code = 23,
        /// Price of the new issue.
        ipo_price: Price4 = 24,
    }
    /// `J`: auction collar after a limit-up limit-down pause (section 1.2.7).
    LuldAuctionCollar "luld_auction_collar" b'J' 35 {
        /// Symbol.
        stock: Alpha<8> = 11,
        /// Reference.
        auction_collar_reference_price: Price4 = 19,
        /// Upper bound.
        upper_auction_collar_price: Price4 = 23,
        /// Lower bound.
        lower_auction_collar_price: Price4 = 27,
        /// How often the auction was extended.
        auction_collar_extension: u32 = 31,
    }
    /// `h`: one Nasdaq market stops or resumes a stock (section 1.2.8).
    OperationalHalt "operational_halt" b'h' 21 {
        /// Symbol.
        stock: Alpha<8> = 11,
        /// `Q` Nasdaq, `B` BX, `X` PSX.
        market_code: Code = 19,
        /// `H` halted, `T` resumed.
        operational_halt_action: Code = 20,
    }
    /// `A`: a new order without attribution (section 1.3.1).
    AddOrder "add_order" b'A' 36 {
        /// Day-unique reference.
        order_reference_number: u64 = 11,
        /// `B` buy, `S` sell.
        buy_sell_indicator: Code = 19,
        /// Displayed shares.
        shares: u32 = 20,
        /// Symbol.
        stock: Alpha<8> = 24,
        /// Limit price.
        price: Price4 = 32,
    }
    /// `F`: a new order with attribution (section 1.3.2).
    AddOrderMpid "add_order_mpid" b'F' 40 {
        /// Day-unique reference.
        order_reference_number: u64 = 11,
        /// `B` buy, `S` sell.
        buy_sell_indicator: Code = 19,
        /// Displayed shares.
        shares: u32 = 20,
        /// Symbol.
        stock: Alpha<8> = 24,
        /// Limit price.
        price: Price4 = 32,
        /// Market participant.
        attribution: Alpha<4> = 36,
    }
    /// `E`: shares of an order executed at its own price (section 1.4.1).
    OrderExecuted "order_executed" b'E' 31 {
        /// The order.
        order_reference_number: u64 = 11,
        /// Shares executed now.
        executed_shares: u32 = 19,
        /// Match.
        match_number: u64 = 23,
    }
    /// `C`: shares of an order executed at another price (section 1.4.2).
    OrderExecutedWithPrice "order_executed_with_price" b'C' 36 {
        /// The order.
        order_reference_number: u64 = 11,
        /// Shares executed now.
        executed_shares: u32 = 19,
        /// Match.
        match_number: u64 = 23,
        /// `N`: not for the tape. The book loses the shares either way.
        printable: Code = 31,
        /// Price of the execution; the order's own price stays.
        execution_price: Price4 = 32,
    }
    /// `X`: shares taken off an order (section 1.4.3).
    OrderCancel "order_cancel" b'X' 23 {
        /// The order.
        order_reference_number: u64 = 11,
        /// Shares taken off.
        cancelled_shares: u32 = 19,
    }
    /// `D`: the whole order is gone (section 1.4.4).
    OrderDelete "order_delete" b'D' 19 {
        /// The order.
        order_reference_number: u64 = 11,
    }
    /// `U`: an order replaced; side, stock and attribution stay (section 1.4.5).
    OrderReplace "order_replace" b'U' 35 {
        /// The order that ends.
        order_reference_number: u64 = 11,
        /// The order that begins.
        new_order_reference_number: u64 = 19,
        /// Its displayed shares.
        shares: u32 = 27,
        /// Its limit price.
        price: Price4 = 31,
    }
    /// `P`: a match against a hidden order (section 1.5.1).
    TradeNonCross "trade_non_cross" b'P' 44 {
        /// Zero since 2010.
        order_reference_number: u64 = 11,
        /// `B` since 2014.
        buy_sell_indicator: Code = 19,
        /// Shares.
        shares: u32 = 20,
        /// Symbol.
        stock: Alpha<8> = 24,
        /// Price.
        price: Price4 = 32,
        /// Match.
        match_number: u64 = 36,
    }
    /// `Q`: an auction's bulk match (section 1.5.2).
    CrossTrade "cross_trade" b'Q' 40 {
        /// Shares; may be 0.
        shares: u64 = 11,
        /// Symbol.
        stock: Alpha<8> = 19,
        /// Price.
        cross_price: Price4 = 27,
        /// Match.
        match_number: u64 = 31,
        /// `O` opening, `C` closing, `H` after a halt or a new issue.
        cross_type: Code = 39,
    }
    /// `B`: a match is broken (section 1.5.3).
    BrokenTrade "broken_trade" b'B' 19 {
        /// The match of an earlier E, C, P or Q.
        match_number: u64 = 11,
    }
    /// `I`: net order imbalance before an auction (section 1.6).
    NetOrderImbalance "net_order_imbalance" b'I' 50 {
        /// Shares that pair.
        paired_shares: u64 = 11,
        /// Shares that do not.
        imbalance_shares: u64 = 19,
        /// `B`, `S`, `N` none, `O` insufficient, `P` paused.
        imbalance_direction: Code = 27,
        /// Symbol.
        stock: Alpha<8> = 28,
        /// Far price.
        far_price: Price4 = 36,
        /// Near price.
        near_price: Price4 = 40,
        /// Reference.
        current_reference_price: Price4 = 44,
        /// Which auction.
        cross_type: Code = 48,
        /// Deviation band of the near price.
        variation_indicator: Code = 49,
    }
    /// `N`: retail price improvement interest (section 1.7).
    RetailPriceImprovement "retail_price_improvement" b'N' 20 {
        /// Symbol.
        stock: Alpha<8> = 11,
        /// `B`, `S`, `A` both, `N` none.
        interest_flag: Code = 19,
    }
    /// `O`: price discovery of a direct listing with capital raise (section 1.8).
    DirectListingPriceDiscovery "direct_listing_price_discovery" b'O' 48 {
        /// Symbol.
        stock: Alpha<8> = 11,
        /// `Y`: may be released for trading.
        open_eligibility_status: Code = 19,
        /// Lower bound.
        minimum_allowable_price: Price4 = 20,
        /// Upper bound.
        maximum_allowable_price: Price4 = 24,
        /// Near execution price.
        near_execution_price: Price4 = 28,
        /// When the near price was reached, ns since midnight.
        near_execution_time_ns: u64 = 32,
        /// Lower collar.
        lower_price_range_collar: Price4 = 40,
        /// Upper collar.
        upper_price_range_collar: Price4 = 44,
    }
}
