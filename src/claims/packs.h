/* The contract files that come with the program, and their schema, as text. */
#ifndef TN_CLAIMS_PACKS_H
#define TN_CLAIMS_PACKS_H

#include "emit/embedded.h"

extern const struct tn_embedded tn_contract_packs[];

#endif
