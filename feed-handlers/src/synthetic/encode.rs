//! Encoders of all 23 ITCH 5.0 messages: one struct per type, its fields in wire order.
//!
//! Integers are big-endian; texts are ASCII, padded with spaces on the right. Prices named
//! `*_e4` have 4 implied decimals, those named `*_e8` have 8.

/// A buffer that holds any message.
pub type Buffer = [u8; LEN_MAX];

/// Length of the longest message, bytes.
pub const LEN_MAX: usize = 50;

/// What every message begins with, after its type.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Prefix {
    /// The day's index of the stock; 0 = not about one stock.
    pub locate: u16,
    /// NASDAQ's internal tracking number.
    pub tracking: u16,
    /// Nanoseconds since midnight, New York time; the wire has room for 48 bits.
    pub ns_since_midnight: u64,
}

impl Prefix {
    /// Length with the type byte.
    pub const LEN: usize = 11;

    fn write(self, kind: u8, out: &mut Buffer) {
        out[0] = kind;
        out[1..3].copy_from_slice(&self.locate.to_be_bytes());
        out[3..5].copy_from_slice(&self.tracking.to_be_bytes());
        out[5..11].copy_from_slice(&self.ns_since_midnight.to_be_bytes()[2..]);
    }
}

/// A field as it stands on the wire.
trait WireField: Copy {
    const LEN: usize;
    fn write(self, out: &mut [u8]);
}

impl WireField for u8 {
    const LEN: usize = 1;
    fn write(self, out: &mut [u8]) {
        out[0] = self;
    }
}

impl WireField for u32 {
    const LEN: usize = 4;
    fn write(self, out: &mut [u8]) {
        out.copy_from_slice(&self.to_be_bytes());
    }
}

impl WireField for u64 {
    const LEN: usize = 8;
    fn write(self, out: &mut [u8]) {
        out.copy_from_slice(&self.to_be_bytes());
    }
}

impl<const N: usize> WireField for [u8; N] {
    const LEN: usize = N;
    fn write(self, out: &mut [u8]) {
        out.copy_from_slice(&self);
    }
}

macro_rules! messages {
    ($(
        $(#[$doc:meta])*
        $name:ident = $kind:literal, $len:literal {
            $( $(#[$field_doc:meta])* $field:ident: $type:ty, )*
        }
    )*) => {
        /// Every type with the length of its messages, bytes.
        pub const LENGTHS: [(u8, usize); 23] = [$( ($kind, $len) ),*];

        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            pub struct $name {
                $( $(#[$field_doc])* pub $field: $type, )*
            }

            impl $name {
                /// The type byte.
                pub const KIND: u8 = $kind;
                /// The length of the message, bytes.
                pub const LEN: usize = $len;

                /// Writes the message to the front of `out` and returns it.
                #[inline]
                pub fn encode(self, prefix: Prefix, out: &mut Buffer) -> &[u8] {
                    prefix.write(Self::KIND, out);
                    let rest = &mut out[Prefix::LEN..Self::LEN];
                    $(
                        let (field, rest) = rest.split_at_mut(<$type as WireField>::LEN);
                        self.$field.write(field);
                    )*
                    debug_assert!(rest.is_empty());
                    &out[..Self::LEN]
                }
            }

            // The fields fill the message exactly.
            const _: () = assert!(
                Prefix::LEN $( + <$type as WireField>::LEN )* == $len && $len <= LEN_MAX
            );
        )*
    };
}

messages! {
    /// `S`: the day goes on by one step.
    SystemEvent = b'S', 12 {
        /// `O` `S` `Q` `M` `E` `C`, in the order of a day.
        event: u8,
    }

    /// `R`: a stock and its locate.
    StockDirectory = b'R', 39 {
        /// Symbol.
        stock: [u8; 8],
        /// Listing market and tier.
        market_category: u8,
        /// `N` normal, `D` deficient, space = not listed here, and others.
        financial_status: u8,
        /// Shares in a round lot.
        round_lot: u32,
        /// `Y` or `N`.
        round_lots_only: u8,
        /// Kind of security.
        classification: u8,
        /// Kind of security, in detail.
        subtype: [u8; 2],
        /// `P` live, `T` test.
        authenticity: u8,
        /// Short-sale threshold list: `Y`, `N` or space.
        short_sale_threshold: u8,
        /// IPO: `Y`, `N` or space.
        ipo: u8,
        /// Limit-up limit-down tier: `1`, `2` or space.
        luld_tier: u8,
        /// Exchange-traded product: `Y`, `N` or space.
        etp: u8,
        /// Leverage of the product; 0 = none.
        etp_leverage: u32,
        /// Inverse product: `Y` or `N`.
        inverse: u8,
    }

    /// `H`: a stock is halted, paused, quoted or traded.
    TradingAction = b'H', 25 {
        /// Symbol.
        stock: [u8; 8],
        /// `H` halted, `P` paused, `Q` quotation only, `T` trading.
        state: u8,
        /// Reserved.
        reserved: u8,
        /// Why: `T1  `, `LUDP`, spaces, and others.
        reason: [u8; 4],
    }

    /// `Y`: the short-sale price test.
    RegSho = b'Y', 20 {
        /// Symbol.
        stock: [u8; 8],
        /// `0` none, `1` since today, `2` still.
        action: u8,
    }

    /// `L`: a market participant's standing in a stock.
    ParticipantPosition = b'L', 26 {
        /// Market participant.
        mpid: [u8; 4],
        /// Symbol.
        stock: [u8; 8],
        /// Primary market maker: `Y` or `N`.
        primary: u8,
        /// `N` normal, `P` passive, `S` syndicate, `R` pre-syndicate, `L` penalty.
        mode: u8,
        /// `A` active, `E` excused, `W` withdrawn, `S` suspended, `D` deleted.
        state: u8,
    }

    /// `V`: the levels of the market-wide circuit breaker.
    DeclineLevels = b'V', 35 {
        /// Level 1, index points, 8 decimals.
        level_1_e8: u64,
        /// Level 2.
        level_2_e8: u64,
        /// Level 3.
        level_3_e8: u64,
    }

    /// `W`: the market-wide circuit breaker has been reached.
    DeclineStatus = b'W', 12 {
        /// `1` `2` `3`.
        level: u8,
    }

    /// `K`: when an initial public offering will be quoted.
    IpoQuoting = b'K', 28 {
        /// Symbol.
        stock: [u8; 8],
        /// Seconds since midnight; 0 = cancelled.
        release_time_s: u32,
        /// `A` anticipated, `C` cancelled.
        qualifier: u8,
        /// Price of the offering.
        price_e4: u32,
    }

    /// `J`: the collar of the auction that ends a pause.
    AuctionCollar = b'J', 35 {
        /// Symbol.
        stock: [u8; 8],
        /// Centre.
        reference_e4: u32,
        /// Upper end.
        upper_e4: u32,
        /// Lower end.
        lower_e4: u32,
        /// How many times it was widened.
        extension: u32,
    }

    /// `h`: one NASDAQ market stops or resumes trading a stock.
    OperationalHalt = b'h', 21 {
        /// Symbol.
        stock: [u8; 8],
        /// `Q` NASDAQ, `B` BX, `X` PSX.
        market: u8,
        /// `H` halted, `T` resumed.
        action: u8,
    }

    /// `A`: an order joins the book.
    AddOrder = b'A', 36 {
        /// Day-unique.
        order_ref: u64,
        /// `B` or `S`.
        side: u8,
        /// Displayed shares.
        shares: u32,
        /// Symbol.
        stock: [u8; 8],
        /// Limit.
        price_e4: u32,
    }

    /// `F`: an order with its owner joins the book.
    AddOrderAttributed = b'F', 40 {
        /// Day-unique.
        order_ref: u64,
        /// `B` or `S`.
        side: u8,
        /// Displayed shares.
        shares: u32,
        /// Symbol.
        stock: [u8; 8],
        /// Limit.
        price_e4: u32,
        /// Owner.
        mpid: [u8; 4],
    }

    /// `E`: an order trades at its own price.
    OrderExecuted = b'E', 31 {
        /// Which order.
        order_ref: u64,
        /// Shares traded.
        shares: u32,
        /// Of the trade.
        match_number: u64,
    }

    /// `C`: an order trades at a price of its own, or in a cross.
    OrderExecutedWithPrice = b'C', 36 {
        /// Which order.
        order_ref: u64,
        /// Shares traded.
        shares: u32,
        /// Of the trade.
        match_number: u64,
        /// `Y` counts as volume, `N` is reported elsewhere.
        printable: u8,
        /// Of the trade; the order keeps its limit.
        price_e4: u32,
    }

    /// `X`: an order shrinks.
    OrderCancel = b'X', 23 {
        /// Which order.
        order_ref: u64,
        /// Shares taken away.
        shares: u32,
    }

    /// `D`: an order leaves.
    OrderDelete = b'D', 19 {
        /// Which order.
        order_ref: u64,
    }

    /// `U`: an order leaves and another takes its place, same stock and side.
    OrderReplace = b'U', 35 {
        /// The order that leaves.
        order_ref: u64,
        /// The order that joins.
        new_order_ref: u64,
        /// Its shares.
        shares: u32,
        /// Its limit.
        price_e4: u32,
    }

    /// `P`: an order that was not displayed trades.
    Trade = b'P', 44 {
        /// 0 since 2010.
        order_ref: u64,
        /// `B` since 2014, whatever the side.
        side: u8,
        /// Shares traded.
        shares: u32,
        /// Symbol.
        stock: [u8; 8],
        /// Of the trade.
        price_e4: u32,
        /// Of the trade.
        match_number: u64,
    }

    /// `Q`: a cross.
    CrossTrade = b'Q', 40 {
        /// Shares; 0 = no cross took place.
        shares: u64,
        /// Symbol.
        stock: [u8; 8],
        /// Of the cross; may be 0.
        price_e4: u32,
        /// Of the trade.
        match_number: u64,
        /// `O` opening, `C` closing, `H` after a halt or offering.
        cross: u8,
    }

    /// `B`: a trade is taken back.
    BrokenTrade = b'B', 19 {
        /// Of an earlier `E`, `C`, `P` or `Q`.
        match_number: u64,
    }

    /// `I`: the imbalance before a cross.
    Imbalance = b'I', 50 {
        /// Shares that match at the reference price.
        paired_shares: u64,
        /// Shares that do not.
        imbalance_shares: u64,
        /// `B` `S` `N` `O` `P`.
        direction: u8,
        /// Symbol.
        stock: [u8; 8],
        /// Where crossing orders alone would cross.
        far_e4: u32,
        /// Where all orders would cross.
        near_e4: u32,
        /// Price of the figures above.
        reference_e4: u32,
        /// `O` `C` `H` `A`.
        cross: u8,
        /// How far near is from the reference: `L`, `1`–`9`, `A` `B` `C` or space.
        price_variation: u8,
    }

    /// `N`: retail interest inside the spread.
    RetailInterest = b'N', 20 {
        /// Symbol.
        stock: [u8; 8],
        /// `B` `S` `A` both, `N` none.
        interest: u8,
    }

    /// `O`: where a direct listing with a capital raise may open.
    DirectListing = b'O', 48 {
        /// Symbol.
        stock: [u8; 8],
        /// May open: `Y` or `N`.
        eligible: u8,
        /// Lowest price allowed.
        min_e4: u32,
        /// Highest price allowed.
        max_e4: u32,
        /// Near execution price.
        near_e4: u32,
        /// When it was found, ns since midnight.
        near_time_ns: u64,
        /// Lower collar.
        lower_e4: u32,
        /// Upper collar.
        upper_e4: u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 09:30:00 on locate 1.
    const OPEN: Prefix = Prefix { locate: 1, tracking: 0, ns_since_midnight: 34_200_000_000_000 };

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn messages_equal_vectors_made_elsewhere() {
        let stock = *b"TEST    ";
        let out = &mut [0; LEN_MAX];
        let add = AddOrder { order_ref: 1, side: b'B', shares: 100, stock, price_e4: 100_001 };
        assert_eq!(
            hex(add.encode(OPEN, out)),
            "41000100001f1aced9f000000000000000000142000000645445535420202020000186a1"
        );
        let executed = OrderExecuted { order_ref: 1, shares: 40, match_number: 1 };
        assert_eq!(
            hex(executed.encode(OPEN, out)),
            "45000100001f1aced9f0000000000000000001000000280000000000000001"
        );
        let priced = OrderExecutedWithPrice {
            order_ref: 1,
            shares: 10,
            match_number: 2,
            printable: b'N',
            price_e4: 100_000,
        };
        assert_eq!(
            hex(priced.encode(OPEN, out)),
            "43000100001f1aced9f00000000000000000010000000a00000000000000024e000186a0"
        );
        let cancel = OrderCancel { order_ref: 1, shares: 5 };
        assert_eq!(hex(cancel.encode(OPEN, out)), "58000100001f1aced9f000000000000000000100000005");
        let delete = OrderDelete { order_ref: 1 };
        assert_eq!(hex(delete.encode(OPEN, out)), "44000100001f1aced9f0000000000000000001");
        let replace =
            OrderReplace { order_ref: 1, new_order_ref: 2, shares: 50, price_e4: 100_100 };
        assert_eq!(
            hex(replace.encode(OPEN, out)),
            "55000100001f1aced9f000000000000000000100000000000000020000003200018704"
        );
        let collar = AuctionCollar {
            stock,
            reference_e4: 100_000,
            upper_e4: 110_000,
            lower_e4: 90_000,
            extension: 0,
        };
        assert_eq!(
            hex(collar.encode(OPEN, out)),
            "4a000100001f1aced9f0005445535420202020000186a00001adb000015f9000000000"
        );
    }

    #[test]
    fn lengths_equal_the_specification() {
        let table = "S12 R39 H25 Y20 L26 V35 W12 K28 J35 h21 A36 F40 E31 C36 X23 D19 U35 P44 Q40 \
                     B19 I50 N20 O48";
        let ours: Vec<String> =
            LENGTHS.iter().map(|(kind, len)| format!("{}{len}", char::from(*kind))).collect();
        assert_eq!(ours, table.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn timestamp_keeps_to_its_48_bits() {
        let prefix = Prefix { locate: 0xABCD, tracking: 0x1234, ns_since_midnight: u64::MAX };
        let mut out = [0; LEN_MAX];
        let event = SystemEvent { event: b'O' }.encode(prefix, &mut out);
        assert_eq!(hex(event), "53abcd1234ffffffffffff4f");
    }

    #[test]
    fn text_fields_stand_where_the_specification_puts_them() {
        let mut out = [0; LEN_MAX];
        let listing = DirectListing {
            stock: *b"LISTD.A ",
            eligible: b'Y',
            min_e4: 1,
            max_e4: 2,
            near_e4: 3,
            near_time_ns: 4,
            lower_e4: 5,
            upper_e4: 6,
        }
        .encode(OPEN, &mut out);
        assert_eq!(&listing[11..20], b"LISTD.A Y");
        assert_eq!([listing[23], listing[27], listing[31]], [1, 2, 3]);
        assert_eq!([listing[39], listing[43], listing[47]], [4, 5, 6]);
        let imbalance = Imbalance {
            paired_shares: 1,
            imbalance_shares: 2,
            direction: b'B',
            stock: *b"ABCD    ",
            far_e4: 3,
            near_e4: 4,
            reference_e4: 5,
            cross: b'O',
            price_variation: b'L',
        }
        .encode(OPEN, &mut out);
        assert_eq!([imbalance[18], imbalance[26], imbalance[27]], [1, 2, b'B']);
        assert_eq!([imbalance[39], imbalance[43], imbalance[47]], [3, 4, 5]);
        assert_eq!(&imbalance[48..], b"OL");
    }
}
