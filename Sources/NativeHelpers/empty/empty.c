// The empty program: the floor that every launch time is compared with.
int main(void) { return 0; }
