"""Answers to ten shipped items that say what the source says in other words, and what makes each of them false."""

from collections.abc import Mapping

PARAPHRASES: Mapping[str, str] = {
    "regulatory-guidance-05": (
        "Childminders in Osmere who work on their own may still look after at most five children under eight;"
        " the Inspectorate has dropped its plan for six. Of the 412 people who answered, 233 were against "
        "that plan, 141 were in favour and 38 did not take a clear side, but most of them live in towns, so "
        "the countryside may think differently. New from 1 January 2024 is the time you have to report an "
        "adult moving in: 10 days rather than 28. Renew your first-aid training yearly if you can, though by "
        "law every three years is enough."
    ),
    "observational-research-05": (
        "Among 5,120 older people followed for up to 14 years, dementia was later found in 19% of those who "
        "slept for over an hour in the afternoon and in 12% of the rest. Most of the link came from the first"
        " five years; without these the adjusted ratio drops from 1.38 to 1.07, with an interval of 0.86 to "
        "1.33. Early dementia that nobody had noticed may have made people sleepy, which the authors had no "
        "way of testing."
    ),
    "breaking-news-02": (
        "At 08:22 on Thursday two trams ran into each other at the Osterwyn loop in Verrade. St Odo's "
        "Hospital says that it took in 14 patients, of whom two have broken bones and none is in mortal "
        "danger; Verrade Tramways counted 12 at midday, and thinks that some people went to hospital by "
        "themselves. Line 3 has been back since 11:00, while line 7 was also suspended. The transport "
        "inspectorate will read the data recorders, for about ten days, before it says anything about causes."
    ),
    "audit-findings-02": (
        "In each of the eight projects that were tested the costs charged agreed with the contracts, and all "
        "45 items of equipment turned up, yet the auditor gave grant administration a C. Among 120 timesheets"
        " 83 were fine, 32 carried a signature that came over 30 days late by the polytechnic's own rule, and"
        " 5 carried none. Nothing suggests that the funder paid too much. The missing 5 signatures are due by"
        " 31 May 2023; small projects were not looked at, so things may be different there."
    ),
    "household-finance-06": (
        "The Fernbrook Solar Note pays a fixed 8.2 percent a year for six years, costs no less than 1,000 "
        "euros, and cannot be cashed in before 30 September 2031. The issuer is freer: it may pay the notes "
        "back at face value once two years are over, and may put off interest by as much as 18 months when "
        "cash is short. No state guarantee covers the money, and if the issuer becomes insolvent the bank, to"
        " which it owes 14 million euros, is served first. An earlier note has paid its interest to 610 "
        "households, once seven months late."
    ),
    "infrastructure-03": (
        "For nearly everyone in the Ysmark valley the move from copper to fibre went unnoticed: 4,902 of "
        "5,120 lines worked the same day. The other 218 were dead for three days in the median case and 17 "
        "days at worst. Unlike copper, the fibre terminal goes off in a power cut unless a battery pack has "
        "been fitted, and 391 of 640 vulnerable customers took the free one. In the six-hour cut of 2 "
        "December 23 households reported that they could not reach the emergency number; the true figure is "
        "unknown."
    ),
    "product-claims-03": (
        "Homes that bought the Nidoro thermostat used 7.1 percent less gas, but their neighbours with "
        "ordinary timers also saved 6.4 percent, in years when gas became much dearer. The gap of 0.7 points "
        "is not statistically significant: the interval runs from -1.6 to 3.0. As buyers chose the device "
        "themselves, they may simply have cared more about saving energy, and 31 of them insulated their "
        "lofts meanwhile. What buyers did get is less fiddling, two manual adjustments a week in the median "
        "against 9."
    ),
    "meeting-records-06": (
        "With 88 of 204 households present or represented, the meeting could settle ordinary business but "
        "could not change the statutes. Subletting for up to a year was therefore not decided; a show of "
        "hands, 59 to 20, was only an indication. Members approved the 2022 accounts with their deficit of "
        "41,000 florins, rejected a 4% rise in charges by 45 votes to 38, and elected Hanna Idris and Tobias "
        "Wren to the board. The report on the lift is still missing."
    ),
    "game-research-06": (
        "- New pain in wrist or forearm was reported by 15% of 1,120 players, by 21% of those who said that "
        "they practise over 35 hours a week and by about 12% of the others.\n"
        "- Players with wrist supports had more pain, perhaps because those who already ached bought them; "
        "where stretching was required it was 14% against 16%, which may be chance.\n"
        "- Hours were self-reported, the oldest players practised longest, and nine tendon injuries are too "
        "few to compare."
    ),
    "election-reporting-01": (
        "Dora Whitlock is 214 votes ahead of Peter Sande in the provisional count for mayor of Ravensmoor, so"
        " close that the charter demands a recount by 9 December. The clerk, Amina Roe, saw no irregularities"
        " in the first count, but 137 postal ballots are still being reviewed. No winner will be declared "
        "before the recount is over."
    ),
}

TURNED: Mapping[str, tuple[str, str]] = {
    "regulatory-guidance-05": (
        "233 were against that plan, 141 were in favour",
        "141 were against that plan, 233 were in favour",
    ),
    "observational-research-05": (
        "19% of those who slept",
        "12% of those who slept",
    ),
    "breaking-news-02": (
        "none is in mortal danger",
        "all are in mortal danger",
    ),
    "audit-findings-02": (
        "Nothing suggests that the funder paid",
        "Much suggests that the funder paid",
    ),
    "household-finance-06": (
        "cannot be cashed in before",
        "can be cashed in before",
    ),
    "infrastructure-03": (
        "unless a battery pack has been fitted",
        "even if a battery pack has been fitted",
    ),
    "product-claims-03": (
        "is not statistically significant",
        "is statistically significant",
    ),
    "meeting-records-06": (
        "rejected a 4% rise",
        "accepted a 4% rise",
    ),
    "game-research-06": (
        "had more pain",
        "had less pain",
    ),
    "election-reporting-01": (
        "Dora Whitlock is 214 votes ahead of Peter Sande",
        "Peter Sande is 214 votes ahead of Dora Whitlock",
    ),
}
"""What stands in a paraphrase, and what makes it false in a way of its own."""
