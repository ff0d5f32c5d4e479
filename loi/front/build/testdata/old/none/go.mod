module none
