#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
int x;void*w(void*a){for(int i=0;i<2;i++){flockfile(stdout);x++;fputs("a\n",stdout);x++;funlockfile(stdout);printf("b\n");}return 0;}
int main(){pthread_t t,u;pthread_create(&t,0,w,0);pthread_create(&u,0,w,0);pthread_join(t,0);pthread_join(u,0);return x!=8;}
