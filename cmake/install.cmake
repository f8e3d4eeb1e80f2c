# Installation rules; to be completed below the targets.
