#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
int x;void*w(void*a){printf("a\n");x++;printf("b\n");return 0;}
int main(){pthread_t t,u;pthread_create(&t,0,w,0);pthread_create(&u,0,w,0);pthread_join(t,0);pthread_join(u,0);return 0;}
